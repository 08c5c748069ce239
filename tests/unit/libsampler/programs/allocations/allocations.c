/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Uses each way to get memory once, with a unique size by which the test finds it in the files. Flushes between allocations and
 * releases, so that no block is too short-lived to be recorded.
 */
#include <dlfcn.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

#include <memphis.h>

#define RW   (PROT_READ | PROT_WRITE)
#define ANON (MAP_PRIVATE | MAP_ANONYMOUS)

/* Functions of C23, which headers may lack. */
void free_sized(void *block, size_t bytes);
void free_aligned_sized(void *block, size_t alignment, size_t bytes);

static void *kept[16];
static int count;

static void keep(void *block)
{
	if (!block || block == MAP_FAILED)
		abort();
	kept[count++] = block;
}

static void heap(void)
{
	char long_name[300];
	void *block;
	int i;

	keep(malloc(10001));
	keep(calloc(2, 5001));
	keep(realloc(NULL, 10003));
	keep(reallocarray(NULL, 4, 2501));
	if (posix_memalign(&block, 256, 10005))
		abort();
	keep(block);
	keep(aligned_alloc(64, 10048));
	keep(memalign(4096, 10007));
	keep(valloc(10008));
	keep(pvalloc(10009));
	keep(malloc(4095));
	keep(malloc(4096));
	keep(malloc(10011));
	/* A name longer than what is kept of it, and another one after it. */
	memset(long_name, 'n', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	memphis_name(kept[2], 10003, long_name);
	memphis_name(kept[3], 10004, "other");
	memphis_flush();
	/* A tracked block that shrinks below the threshold, and one that moves. */
	kept[0] = realloc(kept[0], 100);
	kept[1] = realloc(kept[1], 1000020);
	/* The C library releases the block. */
	kept[count - 1] = realloc(kept[count - 1], 0);
	memphis_flush();
	free_sized(kept[2], 10003);
	free_aligned_sized(kept[4], 256, 10005);
	for (i = 0; i < count; i++)
		if (i != 2 && i != 4)
			free(kept[i]);
	memphis_flush();
}

static void maps(void)
{
	char *map, *shared, *file, *stays, *under;
	char name[] = "/tmp/memphis-map-XXXXXX";
	int fd = mkstemp(name), segment = shmget(IPC_PRIVATE, 77824, IPC_CREAT | 0600);

	unlink(name);
	map = mmap(NULL, 90112, RW, ANON, -1, 0);
	shared = mmap(NULL, 45056, RW, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (fd < 0 || ftruncate(fd, 49152))
		abort();
	file = mmap(NULL, 49152, RW, MAP_SHARED, fd, 0);
	stays = mmap(NULL, 73728, RW, ANON, -1, 0);
	under = mmap(NULL, 77824, RW, ANON, -1, 0);
	memphis_flush();
	munmap(map + 8192, 4000);
	mmap(map + 16384, 4096, RW, ANON | MAP_FIXED, -1, 0);
	if (mremap(shared, 45056, 53248, MREMAP_MAYMOVE | MREMAP_FIXED, map + 24576) != map + 24576)
		abort();
	/* A second view of shared memory; the first stays. */
	if (mremap(file, 0, 57344, MREMAP_MAYMOVE) == MAP_FAILED)
		abort();
	/* The pages move, and the map stays. */
	if (mremap(stays, 73728, 73728, MREMAP_MAYMOVE | MREMAP_DONTUNMAP, NULL) == MAP_FAILED)
		abort();
	/* A segment in place of a map. */
	if (shmat(segment, under, SHM_REMAP) != under)
		abort();
	shmctl(segment, IPC_RMID, NULL);
	memphis_flush();
	munmap(file, 49152);
	/* Move the end of the heap, which the C library's allocator tolerates. */
	if (sbrk(61440) == (void *)-1 || brk((char *)sbrk(0) + 65536) || sbrk(-8192) == (void *)-1)
		abort();
	memphis_flush();
}

/* Allocates with libnuma, if it is installed; loads it by hand, as its headers may be missing. */
static int numa(void)
{
	void *library = dlopen("libnuma.so.1", RTLD_NOW), *symbol;
	void *(*allocate)(size_t);
	void (*release)(void *, size_t);
	void *block;

	if (!library)
		return 0;
	symbol = dlsym(library, "numa_alloc_local");
	memcpy(&allocate, &symbol, sizeof(symbol));
	symbol = dlsym(library, "numa_free");
	memcpy(&release, &symbol, sizeof(symbol));
	block = allocate(69632);
	memphis_flush();
	release(block, 69632);
	memphis_flush();
	return 1;
}

int main(void)
{
	heap();
	maps();
	return numa() ? 0 : 5;
}
