// SPDX-License-Identifier: BSD-3-Clause
/*
 * Preloaded: writes size and call stack of each allocation of at least 2048 bytes to the file $RECORDER, then the program's maps.
 * libmemphis does the same, but only while it samples, for which it needs hardware.
 */
#include <dlfcn.h>
#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>

#define BYTES_MIN 2048
#define DEPTH     24

static void *(*next_malloc)(size_t);
static void *(*next_calloc)(size_t, size_t);
static void *(*next_realloc)(void *, size_t);
static void *(*next_memalign)(size_t, size_t);
static void (*next_free)(void *);

/* Memory for dlsym(), which allocates before the next calloc() is known. It is never released. */
static char early[65536];
static size_t early_used;

static FILE *out;
static __thread int busy;

static void note(size_t bytes, const void *caller)
{
	void *stack[DEPTH];
	int depth, i, first = 0;

	if (!out || busy || bytes < BYTES_MIN)
		return;
	busy = 1;
	depth = backtrace(stack, DEPTH);
	for (i = 0; i < depth && !first; i++)
		if (stack[i] == caller)
			first = i;
	flockfile(out);
	fprintf(out, "block %zu", bytes);
	for (i = first; i < depth; i++)
		fprintf(out, " %p", stack[i]);
	fputc('\n', out);
	funlockfile(out);
	busy = 0;
}

void *malloc(size_t bytes)
{
	note(bytes, __builtin_return_address(0));
	if (!next_malloc)
		next_malloc = dlsym(RTLD_NEXT, "malloc");
	return next_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
	char *block = early + early_used;

	if (!next_calloc) {
		early_used += (count * bytes + 15) & ~(size_t)15;
		return block;
	}
	note(count * bytes, __builtin_return_address(0));
	return next_calloc(count, bytes);
}

void *realloc(void *block, size_t bytes)
{
	note(bytes, __builtin_return_address(0));
	if (!next_realloc)
		next_realloc = dlsym(RTLD_NEXT, "realloc");
	return next_realloc(block, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
	note(bytes, __builtin_return_address(0));
	if (!next_memalign)
		next_memalign = dlsym(RTLD_NEXT, "aligned_alloc");
	return next_memalign(alignment, bytes);
}

void free(void *block)
{
	if ((char *)block >= early && (char *)block < early + sizeof(early))
		return;
	if (!next_free)
		next_free = dlsym(RTLD_NEXT, "free");
	next_free(block);
}

__attribute__((constructor)) static void start(void)
{
	void *stack[2];

	next_calloc = dlsym(RTLD_NEXT, "calloc");
	backtrace(stack, 2); /* allocates on its first call */
	out = fopen(getenv("RECORDER"), "w");
}

__attribute__((destructor)) static void stop(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4096];

	busy = 1;
	while (out && maps && fgets(line, sizeof(line), maps))
		fprintf(out, "map %s", line);
	if (out)
		fclose(out);
	out = NULL;
}
