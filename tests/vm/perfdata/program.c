// SPDX-License-Identifier: BSD-3-Clause
/* Accesses three arrays, two static ones and one of the heap, in two threads: each line of `work` again and again. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT  (1 << 19)
#define ROUNDS 3

static double field[COUNT];
static double halo[COUNT];
static double *flux;

static void *work(void *argument)
{
	const long first = (long)argument;
	double sum = 0;
	long round, i;

	for (round = 0; round < ROUNDS; round++) {
		for (i = first; i < COUNT; i += 2)
			sum += field[i];
		for (i = first; i < COUNT; i += 2)
			halo[i] += sum;
		for (i = first; i < COUNT; i += 2)
			flux[i] += sum;
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	long i;

	flux = malloc(COUNT * sizeof(*flux));
	if (!flux)
		return 1;
	memset(flux, 0, COUNT * sizeof(*flux));
	memset(field, 1, sizeof(field));
	for (i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, work, (void *)i))
			return 1;
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%g\n", halo[7] + flux[8]);
	return 0;
}
