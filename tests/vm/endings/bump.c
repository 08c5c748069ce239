/* SPDX-License-Identifier: BSD-3-Clause */
/* An allocator that may be interrupted by a signal handler that allocates: freed blocks are never reused. */
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#define ROOM   (1ul << 30)
#define HEADER 16

static char *room;
static size_t used;

void *malloc(size_t bytes)
{
	char *block;

	if (!__atomic_load_n(&room, __ATOMIC_ACQUIRE)) {
		char *none = NULL, *fresh;

		fresh = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
			     -1, 0);
		if (!__atomic_compare_exchange_n(&room, &none, fresh, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			munmap(fresh, ROOM);
	}
	block = room + __atomic_fetch_add(&used, (bytes + HEADER + 15) & ~15ul, __ATOMIC_RELAXED);
	if (block + HEADER + bytes > room + ROOM)
		return NULL;
	memcpy(block, &bytes, sizeof(bytes));
	return block + HEADER;
}

size_t malloc_usable_size(void *block)
{
	size_t bytes = 0;

	if (block)
		memcpy(&bytes, (char *)block - HEADER, sizeof(bytes));
	return bytes;
}

void free(void *block)
{
	(void)block;
}

void *calloc(size_t count, size_t bytes)
{
	return malloc(count * bytes);
}

void *realloc(void *block, size_t bytes)
{
	size_t old = malloc_usable_size(block);
	void *fresh = malloc(bytes);

	if (fresh && block)
		memcpy(fresh, block, old < bytes ? old : bytes);
	return fresh;
}
