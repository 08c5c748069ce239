// SPDX-License-Identifier: BSD-3-Clause
/*
 * Thread-local storage. One thread reads its own variable, which it touched before it was moved to the
 * other node; then a second thread, on the other node, reads the main thread's variable through a pointer.
 */
#include "workload.h"

#include <memphis.h>
#include <pthread.h>
#include <stdio.h>

enum { ELEMENTS = 1 << 19, ROUNDS = 8 };

static _Thread_local double scratch[ELEMENTS];
static double sums[2];

static void *owner(void *unused)
{
	double sum = 0;

	(void)unused;
	workload_cpu(0);
	workload_touch(scratch, sizeof(scratch));
	workload_variable("own", scratch, sizeof(scratch));
	workload_cpu(2);
	memphis_begin("Own");
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < ELEMENTS; i++)
			sum += scratch[i]; /* LINE: own */
	}
	memphis_end("Own");
	sums[0] = sum;
	return NULL;
}

static void *borrower(void *lent)
{
	const double *theirs = lent;
	double sum = 0;

	workload_cpu(3);
	memphis_begin("Lent");
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < ELEMENTS; i++)
			sum += theirs[i]; /* LINE: lent */
	}
	memphis_end("Lent");
	sums[1] = sum;
	return NULL;
}

static void run(void *(*what)(void *), void *argument)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, what, argument) || pthread_join(thread, NULL))
		workload_fail("pthread_create");
}

int main(void)
{
	workload_cpu(0);
	workload_touch(scratch, sizeof(scratch));
	workload_variable("lent", scratch, sizeof(scratch));
	workload_objects();
	memphis_begin("Reads");
	run(owner, NULL);
	run(borrower, scratch);
	memphis_end("Reads");
	printf("sum %g\n", sums[0] + sums[1]);
	return 0;
}
