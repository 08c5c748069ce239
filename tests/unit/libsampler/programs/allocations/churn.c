/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads allocate, reallocate and release each other's blocks of all sizes by all functions, and check that each block is intact.
 * Prints one line, which is the same with any correct allocator.
 */
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define SLOTS   256
#define THREADS 8
#define ROUNDS  20000

struct block {
	size_t bytes;
	uint64_t mark;
};

static struct block *slots[SLOTS];
static int damaged;

static struct block *make(unsigned int kind, size_t bytes)
{
	struct block *block = NULL;

	bytes += sizeof(*block) + 1;
	switch (kind % 6) {
	case 0:
		block = calloc(1, bytes);
		if (block && block->mark)
			damaged = 1;
		break;
	case 1:
		if (posix_memalign((void **)&block, 256, bytes) || (uintptr_t)block % 256)
			damaged = 1;
		break;
	case 2:
		block = aligned_alloc(64, (bytes + 63) & ~(size_t)63);
		break;
	case 3:
		block = memalign(4096, bytes);
		break;
	default:
		block = malloc(bytes);
	}
	block->bytes = bytes;
	block->mark = bytes * 31;
	((char *)block)[bytes - 1] = 1;
	return block;
}

static void drop(struct block *block)
{
	if (block && block->mark != block->bytes * 31)
		damaged = 1;
	free(block);
}

static void *work(void *data)
{
	uint32_t random = (uint32_t)(uintptr_t)data * 7919 + 1;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		unsigned int at = (random >> 16) % SLOTS;
		size_t bytes = (random >> 8) % 20000;
		struct block *block = __atomic_exchange_n(&slots[at], NULL, __ATOMIC_ACQ_REL);

		random = random * 1103515245 + 12345;
		if (block && random & 1) {
			if (block->mark != block->bytes * 31)
				damaged = 1;
			bytes += sizeof(*block);
			block = reallocarray(block, 1, bytes);
			block->bytes = bytes;
			block->mark = bytes * 31;
		} else {
			drop(block);
			block = make(random >> 4, bytes);
		}
		drop(__atomic_exchange_n(&slots[at], block, __ATOMIC_ACQ_REL));
		if (i % 100 == 0) {
			char *map =
				mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

			map[65535] = 1;
			map = mremap(map, 65536, 131072, MREMAP_MAYMOVE);
			if (map[65535] != 1 || munmap(map, 131072))
				damaged = 1;
		}
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	intptr_t i;
	int round;

	for (round = 0; round < 3; round++) {
		for (i = 0; i < THREADS; i++)
			pthread_create(&threads[i], NULL, work, (void *)(i + 1 + THREADS * round));
		for (i = 0; i < THREADS; i++)
			pthread_join(threads[i], NULL);
	}
	for (i = 0; i < SLOTS; i++)
		drop(slots[i]);
	puts(damaged ? "damaged" : "all blocks intact");
	return damaged;
}
