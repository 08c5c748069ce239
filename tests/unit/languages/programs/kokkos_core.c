/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Does what Kokkos' core does with the library that KOKKOS_TOOLS_LIBS names: looks up every hook, then calls the hooks in the
 * order of a typical program. usage: kokkos_core [BYTES]
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct space {
	char name[64];
};

static void (*init)(int, uint64_t, uint32_t, void *);
static void (*finalize)(void), (*pop)(void);
static void (*push)(const char *);
static void (*begin[3])(const char *, uint32_t, uint64_t *);
static void (*end[3])(uint64_t);
static void (*allocated)(struct space, const char *, const void *, uint64_t);
static void (*deallocated)(struct space, const char *, const void *, uint64_t);

static const struct {
	const char *name;
	void **function;
} hooks[] = {
	{"kokkosp_init_library", (void **)&init},
	{"kokkosp_finalize_library", (void **)&finalize},
	{"kokkosp_push_profile_region", (void **)&push},
	{"kokkosp_pop_profile_region", (void **)&pop},
	{"kokkosp_begin_parallel_for", (void **)&begin[0]},
	{"kokkosp_begin_parallel_reduce", (void **)&begin[1]},
	{"kokkosp_begin_parallel_scan", (void **)&begin[2]},
	{"kokkosp_end_parallel_for", (void **)&end[0]},
	{"kokkosp_end_parallel_reduce", (void **)&end[1]},
	{"kokkosp_end_parallel_scan", (void **)&end[2]},
	{"kokkosp_allocate_data", (void **)&allocated},
	{"kokkosp_deallocate_data", (void **)&deallocated},
};

static const struct space host = {"Host"};

static void load(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
	size_t i;

	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	for (i = 0; i < sizeof(hooks) / sizeof(hooks[0]); i++) {
		*hooks[i].function = dlsym(library, hooks[i].name);
		if (!*hooks[i].function) {
			fprintf(stderr, "no %s\n", hooks[i].name);
			exit(1);
		}
	}
}

static void kernel(int kind, const char *label, unsigned char *data, size_t bytes)
{
	uint64_t number = 999;
	size_t i;

	begin[kind](label, 1, &number);
	for (i = 0; i < bytes; i++)
		data[i]++;
	end[kind](number);
}

int main(int argc, char **argv)
{
	size_t bytes = argc > 1 ? strtoul(argv[1], NULL, 0) : 100000;
	unsigned char *view = malloc(bytes);

	load(getenv("KOKKOS_TOOLS_LIBS"));
	init(0, 20210225, 1, NULL);
	memset(view, 0x10, bytes);
	allocated(host, "temperature", view, bytes);
	allocated(host, "", view, 10);
	kernel(0, "outside", view, bytes);
	push("TimeLoop");
	push("Physics");
	kernel(0, "advect", view, bytes);
	kernel(1, "sum", view, bytes);
	pop();
	kernel(2, "scan", view, bytes);
	push("");
	pop();
	pop();
	pop(); /* one too many */
	deallocated(host, "temperature", view, bytes);
	finalize();
	printf("value %u\n", view[bytes - 1]);
	free(view);
	return 0;
}
