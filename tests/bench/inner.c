/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What pairs of calipers take: inner ones, outermost ones, and for comparison a pair of calls of functions that do nothing:
 * median and least of many batches, ns per pair.
 */
#include <stdio.h>
#include <stdlib.h>

#include <memphis.h>

#include "cpu_time.h"

#define BATCHES 301
#define INNER   5000
#define OUTER   500

static __attribute__((noinline, noclone)) int nothing(const char *name)
{
	__asm__ volatile("" : "+r"(name));
	return 0;
}

static int empty(void)
{
	return nothing("Bound") | nothing("Bound");
}

static int pair(void)
{
	return memphis_begin("Bound") | memphis_end("Bound");
}

static void measure(const char *name, int (*what)(void), int times)
{
	static double took[BATCHES];
	int i, j, err = 0;

	for (i = 0; i < BATCHES; i++) {
		double begin = cpu_ns();

		for (j = 0; j < times; j++)
			err |= what();
		took[i] = (cpu_ns() - begin) / times;
	}
	qsort(took, BATCHES, sizeof(*took), compare);
	if (err)
		exit(1);
	printf("%s %.2f %.2f\n", name, took[BATCHES / 2], took[0]);
}

int main(void)
{
	measure("empty", empty, INNER);
	if (memphis_begin("TimeLoop"))
		return 1;
	measure("inner", pair, INNER);
	memphis_end("TimeLoop");
	measure("outer", pair, OUTER);
	return 0;
}
