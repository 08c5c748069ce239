// SPDX-License-Identifier: BSD-3-Clause
/*
 * Shared memory of each kind: first touched on node 0, read on node 1, and unmapped before the program ends.
 */
#define _GNU_SOURCE
#include "workload.h"

#include <fcntl.h>
#include <memphis.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

enum { ELEMENTS = 1 << 18, ROUNDS = 12 };

static const size_t bytes = ELEMENTS * sizeof(double);
static double *segment, *posix, *sealed, *common;

static void *attach(void)
{
	int id = shmget(IPC_PRIVATE, bytes, IPC_CREAT | 0600);
	void *memory = id < 0 ? (void *)-1 : shmat(id, NULL, 0);

	if (memory == (void *)-1 || shmctl(id, IPC_RMID, NULL))
		workload_fail("shmat");
	return memory;
}

static void *map(int fd, int flags)
{
	void *memory;

	if (!(flags & MAP_ANONYMOUS) && (fd < 0 || ftruncate(fd, (off_t)bytes)))
		workload_fail("descriptor");
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
	if (memory == MAP_FAILED)
		workload_fail("mmap");
	if (fd >= 0)
		close(fd);
	return memory;
}

static double sweep(void)
{
	double sum = 0;

	for (int i = 0; i < ELEMENTS; i++) {
		sum += segment[i]; /* LINE: segment */
		sum += posix[i];   /* LINE: posix */
		sum += sealed[i];  /* LINE: sealed */
		sum += common[i];  /* LINE: common */
	}
	return sum;
}

int main(void)
{
	double sum = 0;

	workload_cpu(0);
	segment = attach();
	posix = map(shm_open("/memphis-workload", O_RDWR | O_CREAT, 0600), MAP_SHARED);
	shm_unlink("/memphis-workload");
	sealed = map(memfd_create("sealed", MFD_CLOEXEC), MAP_SHARED);
	common = map(-1, MAP_SHARED | MAP_ANONYMOUS);
	workload_touch(segment, bytes);
	workload_touch(posix, bytes);
	workload_touch(sealed, bytes);
	workload_touch(common, bytes);
	workload_variable("segment", segment, bytes);
	workload_variable("posix", posix, bytes);
	workload_variable("sealed", sealed, bytes);
	workload_variable("common", common, bytes);
	workload_objects();
	workload_cpu(2);
	memphis_begin("Reads");
	for (int round = 0; round < ROUNDS; round++)
		sum += sweep();
	memphis_end("Reads");
	if (shmdt(segment) || munmap(posix, bytes) || munmap(sealed, bytes) || munmap(common, bytes))
		workload_fail("munmap");
	printf("sum %g\n", sum);
	return 0;
}
