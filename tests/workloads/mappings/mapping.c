// SPDX-License-Identifier: BSD-3-Clause
/*
 * Memory from mmap(2): anonymous, file-backed and shared. First touched on node 0, read on node 1. usage:
 * mapping FILE
 */
#define _GNU_SOURCE
#include "workload.h"

#include <fcntl.h>
#include <memphis.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ELEMENTS = 1 << 19, ROUNDS = 8 };

static const size_t bytes = ELEMENTS * sizeof(double);
static double *pool;

static void *map(int fd)
{
	void *memory;

	if (fd < 0 || ftruncate(fd, (off_t)bytes))
		workload_fail("file");
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		workload_fail("mmap");
	close(fd);
	return memory;
}

static double sweep(const double *climate, const double *exchange)
{
	double sum = 0;

	for (int i = 0; i < ELEMENTS; i++) {
		sum += pool[i];     /* LINE: pool */
		sum += climate[i];  /* LINE: climate */
		sum += exchange[i]; /* LINE: exchange */
	}
	return sum;
}

int main(int argc, char **argv)
{
	double *climate, *exchange, sum = 0;

	workload_cpu(0);
	pool = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pool == MAP_FAILED)
		workload_fail("mmap");
	climate = map(open(argc > 1 ? argv[1] : "climate.dat", O_RDWR | O_CREAT | O_CLOEXEC, 0600));
	exchange = map(shm_open("/exchange", O_RDWR | O_CREAT, 0600));
	workload_touch(pool, bytes);
	workload_touch(climate, bytes);
	workload_touch(exchange, bytes);
	workload_variable("pool", pool, bytes);
	workload_variable("climate", climate, bytes);
	workload_variable("exchange", exchange, bytes);
	workload_objects();
	workload_cpu(2);
	memphis_begin("Reads");
	for (int round = 0; round < ROUNDS; round++)
		sum += sweep(climate, exchange);
	memphis_end("Reads");
	printf("sum %g\n", sum);
	shm_unlink("/exchange");
	return 0;
}
