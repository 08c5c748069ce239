// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads arrays on the stacks of two threads, of fixed and of variable length and of alloca(), all at different addresses, in a callee. The calipers are
 * outside of the functions whose arrays these are.
 */
#include "workload.h"

#include <alloca.h>
#include <memphis.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 2, COUNT = 1 << 17, BYTES = COUNT * sizeof(double), ROUNDS = 10 };

static __attribute__((noinline)) double sum(const double *array)
{
	double result = 0;

	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < COUNT; i++) {
			result += array[i];
			/* Keeps the rounds from becoming one. */
			__asm__ volatile("" : "+x"(result) : : "memory");
		}
	return result;
}

static void prepare(const char *name, double *array)
{
	workload_touch(array, BYTES);
	workload_variable(name, array, BYTES);
}

static __attribute__((noinline)) double lender(void)
{
	double lent[COUNT];

	workload_cpu(0);
	prepare("lender::lent", lent);
	workload_cpu(2);
	return sum(lent) + lent[0];
}

static __attribute__((noinline)) double kernel(size_t count)
{
	double fixed[COUNT], variable[count], *dynamic = alloca(count * sizeof(*dynamic));

	workload_cpu(0);
	prepare("kernel::fixed", fixed);
	prepare("<frame of kernel>", variable);
	prepare("<frame of kernel>", dynamic);
	workload_cpu(2);
	return lender() + sum(fixed) + sum(variable) + sum(dynamic);
}

static void *run(void *result)
{
	memphis_begin("Sums");
	*(double *)result = kernel(COUNT);
	memphis_end("Sums");
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	double results[THREADS], all = 0;

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, run, &results[i]))
			workload_fail("pthread_create");
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		all += results[i];
	}
	printf("sum %g\n", all);
	return 0;
}
