// SPDX-License-Identifier: BSD-3-Clause
/*
 * Each thread fills a buffer, and another one reads it again and again: thread t reads that of thread (t + DISTANCE) % threads. Where both run
 * on one node, all loads are local. usage: pairs DISTANCE       prints the sum of all elements read
 */
#include <memphis.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "workload.h"

enum { BYTES = 1 << 18, COUNT = BYTES / 8, SWEEPS = 80, THREADS = 64 };

static long *buffers[THREADS];

static __attribute__((noipa)) long read_one(const long *buffer)
{
	long sum = 0;

	for (int i = 0; i < COUNT; i += 8)
		sum += buffer[i]; /* LINE: buffer */
	return sum;
}

int main(int argc, char **argv)
{
	const int distance = argc == 2 ? atoi(argv[1]) : 0;
	long sum = 0;

#pragma omp parallel reduction(+ : sum)
	{
		const int thread = omp_get_thread_num(), other = (thread + distance) % omp_get_num_threads();

		buffers[thread] = aligned_alloc(4096, BYTES);
		if (!buffers[thread])
			workload_fail("aligned_alloc");
		for (int i = 0; i < COUNT; i++)
			buffers[thread][i] = 1;
#pragma omp barrier
		memphis_begin("Read");
		for (int sweep = 0; sweep < SWEEPS; sweep++)
			sum += read_one(buffers[other]);
		memphis_end("Read");
	}
	printf("%ld\n", sum);
	return 0;
}
