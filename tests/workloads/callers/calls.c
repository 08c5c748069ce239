// SPDX-License-Identifier: BSD-3-Clause
/*
 * Copies arrays with memcpy(), array k below k + 1 calls of one function. The array of a sample's address therefore says which calls
 * led to the sample.
 * usage: calls [wait]     wait: prints "ready PID", and waits for a line from standard input before it copies
 */
#define _GNU_SOURCE
#include "workload.h"

#include <memphis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ARRAYS = 8, BYTES = 1 << 20, ROUNDS = 8 };

static char *arrays[ARRAYS];
static char *target;

static __attribute__((noinline)) int descend(int depth, const char *from)
{
	int result;

	if (!depth) {
		memcpy(target, from, BYTES); /* LINE: copy */
		return target[depth];
	}
	result = descend(depth - 1, from); /* LINE: deeper */
	/* Keeps the calls from becoming a loop. */
	__asm__ volatile("" : "+r"(result));
	return result;
}

int main(int argc, char **argv)
{
	int sum = 0;

	(void)argv;
	workload_cpu(0);
	for (int i = 0; i < ARRAYS; i++) {
		char name[16];

		arrays[i] = aligned_alloc(4096, BYTES);
		if (!arrays[i])
			workload_fail("aligned_alloc");
		workload_touch(arrays[i], BYTES);
		snprintf(name, sizeof(name), "array%d", i);
		workload_variable(name, arrays[i], BYTES);
	}
	workload_cpu(2);
	target = aligned_alloc(4096, BYTES);
	if (!target)
		workload_fail("aligned_alloc");
	workload_touch(target, BYTES);
	workload_objects();
	if (argc > 1) {
		printf("ready %d\n", (int)getpid());
		fflush(stdout);
		getchar();
	}
	memphis_begin("Copies");
	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < ARRAYS; i++)
			sum += descend(i, arrays[i]); /* LINE: call */
	memphis_end("Copies");
	printf("sum %d\n", sum);
	return 0;
}
