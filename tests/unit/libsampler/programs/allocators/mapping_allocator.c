/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An allocator that maps each block while it holds a non-recursive lock; preloaded after the library. An allocation inside an
 * interposed mmap() would deadlock.
 */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096

struct head {
	size_t map_bytes, bytes;
	void *map;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct head *head_of(void *block)
{
	return (struct head *)block - 1;
}

static void *make(size_t alignment, size_t bytes)
{
	size_t map_bytes = (bytes + sizeof(struct head) + alignment + PAGE - 1) / PAGE * PAGE;
	uintptr_t block;
	char *map;

	pthread_mutex_lock(&lock);
	map = mmap(NULL, map_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_mutex_unlock(&lock);
	if (map == MAP_FAILED) {
		errno = ENOMEM;
		return NULL;
	}
	block = ((uintptr_t)map + sizeof(struct head) + alignment - 1) / alignment * alignment;
	*head_of((void *)block) = (struct head){map_bytes, bytes, map};
	return (void *)block;
}

void free(void *block)
{
	struct head head;

	if (!block)
		return;
	head = *head_of(block);
	pthread_mutex_lock(&lock);
	munmap(head.map, head.map_bytes);
	pthread_mutex_unlock(&lock);
}

void *malloc(size_t bytes)
{
	return make(16, bytes);
}

void *calloc(size_t count, size_t bytes)
{
	return make(16, count * bytes);
}

void *realloc(void *block, size_t bytes)
{
	void *moved = make(16, bytes);

	if (moved && block) {
		memcpy(moved, block, head_of(block)->bytes < bytes ? head_of(block)->bytes : bytes);
		free(block);
	}
	return moved;
}

void *memalign(size_t alignment, size_t bytes)
{
	return make(alignment < 16 ? 16 : alignment, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
	return memalign(alignment, bytes);
}

int posix_memalign(void **block, size_t alignment, size_t bytes)
{
	*block = memalign(alignment, bytes);
	return *block ? 0 : ENOMEM;
}

size_t malloc_usable_size(void *block)
{
	return block ? head_of(block)->bytes : 0;
}
