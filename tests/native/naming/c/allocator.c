// SPDX-License-Identifier: BSD-3-Clause
/*
 * Arrays of an allocator that is part of the program, as jemalloc may be, and that the library does not track: its map holds blocks of several
 * variables, and is named after none of them.
 */
#include <sys/mman.h>

#include "native.h"

enum { COUNT = 1 << 13, BYTES = COUNT * sizeof(double) };

static char *chunk, *chunk_next;
static double *first;

/* The function of jemalloc that asks for memory has this name. */
__attribute__((noinline)) static char *os_pages_map(size_t bytes)
{
	char *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return pages == MAP_FAILED ? NULL : pages;
}

__attribute__((noinline)) static double *allocate(size_t bytes)
{
	double *block;

	if (!chunk)
		chunk = chunk_next = os_pages_map(4 * BYTES);
	block = (double *)chunk_next;
	chunk_next += bytes;
	return block;
}

int main(void)
{
	double *second, sum = 0;

	first = allocate(BYTES);
	second = allocate(BYTES);
	native_watch(first, BYTES, "mmap:<allocator-not-tracked>");
	native_watch(second, BYTES, "mmap:<allocator-not-tracked>");
	for (int i = 0; i < COUNT; i++)
		first[i] = second[i] = i; /* expect: mmap:<allocator-not-tracked> */
	for (int i = 0; i < COUNT; i++)
		sum += first[i] + second[i]; /* expect: mmap:<allocator-not-tracked> */
	return sum == 0;
}
