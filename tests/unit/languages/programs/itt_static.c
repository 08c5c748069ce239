/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Does what ITT's static part does with the collector that INTEL_LIBITTNOTIFY64 names. usage: itt_static [GROUPS [BUILD [MAGIC]]]
 * GROUPS selects the groups of the API that the program wants; BUILD and MAGIC are passed to the collector.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONTROL   0x1
#define STRUCTURE 0x1000
#define SYNC      0x10
#define HEAP      0x40

struct id {
	unsigned long long words[3];
};

struct string {
	const char *text;
	void *wide;
	int extra1;
	void *extra2;
	struct string *next;
};

struct domain {
	volatile int flags;
	const char *name;
	void *wide;
	int extra1;
	void *extra2;
	struct domain *next;
};

static struct domain *(*domain_create)(const char *);
static struct string *(*string_handle_create)(const char *);
static void (*task_begin)(const struct domain *, struct id, struct id, struct string *);
static void (*task_begin_ex)(const struct domain *, void *, unsigned long long, struct id, struct id,
			     struct string *);
static void (*task_begin_fn)(const struct domain *, struct id, struct id, void *);
static void (*task_end)(const struct domain *);
static void (*task_end_ex)(const struct domain *, void *, unsigned long long);
static void (*task_begin_overlapped)(const struct domain *, struct id, struct id, struct string *);
static void (*sync_prepare)(void *);
static void *(*heap_function_create)(const char *, const char *);
static void (*heap_allocate_begin)(void *, size_t, int);
static void (*heap_allocate_end)(void *, void **, size_t, int);
static void (*heap_free_begin)(void *, void *);
static void (*heap_free_end)(void *, void *);
static void (*heap_reallocate_begin)(void *, void *, size_t, int);
static void (*heap_reallocate_end)(void *, void *, void **, size_t, int);
static void (*heap_reset_detection)(unsigned int);
static void (*pause_collection)(void), (*resume_collection)(void);

static void stub(void)
{
}

static struct entry {
	const char *name;
	void **function;
	void *initial, *none;
	unsigned int group;
} entries[] = {
	{"__itt_domain_create", (void **)&domain_create, stub, stub, STRUCTURE},
	{"__itt_string_handle_create", (void **)&string_handle_create, stub, stub, STRUCTURE},
	{"__itt_pause", (void **)&pause_collection, stub, NULL, CONTROL},
	{"__itt_resume", (void **)&resume_collection, stub, NULL, CONTROL},
	{"__itt_sync_prepare", (void **)&sync_prepare, stub, NULL, SYNC},
	{"__itt_task_begin", (void **)&task_begin, stub, NULL, STRUCTURE},
	{"__itt_task_begin_ex", (void **)&task_begin_ex, stub, NULL, STRUCTURE},
	{"__itt_task_begin_fn", (void **)&task_begin_fn, stub, NULL, STRUCTURE},
	{"__itt_task_begin_overlapped", (void **)&task_begin_overlapped, stub, NULL, STRUCTURE},
	{"__itt_task_end", (void **)&task_end, stub, NULL, STRUCTURE},
	{"__itt_task_end_ex", (void **)&task_end_ex, stub, NULL, STRUCTURE},
	{"__itt_heap_function_create", (void **)&heap_function_create, stub, stub, HEAP},
	{"__itt_heap_allocate_begin", (void **)&heap_allocate_begin, stub, NULL, HEAP},
	{"__itt_heap_allocate_end", (void **)&heap_allocate_end, stub, NULL, HEAP},
	{"__itt_heap_free_begin", (void **)&heap_free_begin, stub, NULL, HEAP},
	{"__itt_heap_free_end", (void **)&heap_free_end, stub, NULL, HEAP},
	{"__itt_heap_reallocate_begin", (void **)&heap_reallocate_begin, stub, NULL, HEAP},
	{"__itt_heap_reallocate_end", (void **)&heap_reallocate_end, stub, NULL, HEAP},
	{"__itt_heap_reset_detection", (void **)&heap_reset_detection, stub, NULL, HEAP},
	{NULL, NULL, NULL, NULL, 0},
};

static struct {
	unsigned char magic[8];
	unsigned long major, minor, build;
	volatile long initialized, mutex_initialized, counter;
	pthread_mutex_t mutex;
	void *library, *error_handler;
	const char **paths;
	struct entry *entries;
	void *rest[8];
} global = {{0xed, 0xab, 0xab, 0xec, 0x0d, 0xee, 0xda, 0x30},
	    3,
	    0,
	    20180723,
	    0,
	    0,
	    0,
	    PTHREAD_MUTEX_INITIALIZER,
	    NULL,
	    NULL,
	    NULL,
	    entries,
	    {NULL}};

/* Exported, so that dladdr() finds its name. */
__attribute__((visibility("default"))) void solve(void)
{
}

static const char *state(void *function, void *none)
{
	return function == (void *)stub && none != (void *)stub ? "untouched"
	       : function == none                               ? "none"
								: "taken";
}

/* An allocator with functions of one domain and of none. The first byte of each block identifies it. */
static void use_heap(void)
{
	void *allocator = heap_function_create("my_malloc", "mesh"), *other;
	char block[] = {0x11}, moved[] = {0x22}, *none = NULL, *got = block, *new = moved;

	other = heap_function_create("my_free", "mesh");
	printf("functions of a domain have one pool: %d\n", allocator == other);
	fflush(stdout);
	heap_allocate_end(allocator, (void **)&got, 100, 0);
	heap_reallocate_begin(allocator, block, 200, 0);
	heap_reallocate_end(allocator, block, (void **)&none, 200, 0);
	heap_reallocate_begin(allocator, block, 200, 0);
	heap_reallocate_end(allocator, block, (void **)&new, 200, 0);
	heap_free_begin(other, moved);
	heap_allocate_end(heap_function_create("lonely", NULL), (void **)&got, 50, 1);
	heap_allocate_end(NULL, (void **)&got, 50, 1);
}

int main(int argc, char **argv)
{
	void (*api_init)(void *, unsigned int);
	const struct id null = {{0, 0, 0}};
	struct string *loop, *step;
	struct domain *domain;
	void *library;
	size_t i;

	if (argc > 2)
		global.build = strtoul(argv[2], NULL, 0);
	if (argc > 3)
		global.magic[0] = (unsigned char)strtoul(argv[3], NULL, 0);
	for (i = 0; entries[i].name; i++)
		*entries[i].function = entries[i].initial;
	library = dlopen(getenv("INTEL_LIBITTNOTIFY64"), RTLD_LAZY);
	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	*(void **)&api_init = dlsym(library, "__itt_api_init");
	api_init(&global, argc > 1 ? (unsigned int)strtoul(argv[1], NULL, 0) : ~0u);
	for (i = 0; entries[i].name; i++)
		printf("%s %s\n", entries[i].name + 6, state(*entries[i].function, entries[i].none));
	if (!task_begin || (void *)task_begin == (void *)stub)
		return 0;

	domain = domain_create("model");
	printf("domain %s %d, the same: %d, none: %d\n", domain->name, domain->flags,
	       domain == domain_create("model"), domain == domain_create("other"));
	loop = string_handle_create("TimeLoop");
	step = string_handle_create("step");
	printf("string %s, the same: %d\n", loop->text, loop == string_handle_create("TimeLoop"));
	printf("without a name: %d %d\n", domain_create(NULL) == NULL, string_handle_create(NULL) == NULL);
	fflush(stdout);
	task_begin(domain, null, null, loop);
	task_begin_ex(domain, NULL, 0, null, null, step);
	task_begin_fn(domain, null, null, (void *)solve);
	task_end(domain);
	task_end_ex(domain, NULL, 0);
	use_heap();
	pause_collection();
	task_begin(domain, null, null, NULL);
	task_end(domain);
	resume_collection();
	task_end(domain);
	return 0;
}
