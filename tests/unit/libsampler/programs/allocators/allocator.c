/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program's own allocator. The page before a block is not readable, so code that treats a block as
 * one of the C library gets SIGSEGV. With -DSIZES it has malloc_usable_size(), as most allocators do.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE   4096ul
#define BLOCKS 65536

static struct {
	char *start;
	size_t bytes;
} blocks[BLOCKS];
static size_t count;

static size_t size_of(const void *block)
{
	size_t i;

	for (i = count; i-- > 0;)
		if (blocks[i].start == block)
			return blocks[i].bytes;
	return 0;
}

static void *make(size_t alignment, size_t bytes)
{
	size_t room = (bytes + alignment + PAGE - 1) & ~(PAGE - 1);
	size_t i = __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
	char *map;

	if (i >= BLOCKS)
		return NULL;
	map = mmap(NULL, room + PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED || mprotect(map + PAGE, room, PROT_READ | PROT_WRITE))
		return NULL;
	map += PAGE;
	map += -(uintptr_t)map & (alignment - 1);
	blocks[i].start = map;
	blocks[i].bytes = bytes;
	return map;
}

void *memalign(size_t alignment, size_t bytes)
{
	return make(alignment, bytes);
}

void *malloc(size_t bytes)
{
	return make(16, bytes);
}

void *calloc(size_t number, size_t bytes)
{
	return make(16, number * bytes);
}

void free(void *block)
{
	(void)block;
}

void *realloc(void *block, size_t bytes)
{
	size_t old = block ? size_of(block) : 0;
	void *moved = make(16, bytes);

	if (moved && block)
		memcpy(moved, block, old < bytes ? old : bytes);
	return moved;
}

#ifdef SIZES
size_t malloc_usable_size(void *block)
{
	return size_of(block);
}
#endif
