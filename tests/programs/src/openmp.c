/* SPDX-License-Identifier: BSD-3-Clause */
/* Parallel loops, tasks, and a fork between them. usage: openmp-c */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static long fibonacci(int n)
{
	long a, b;

	if (n < 2)
		return n;
#pragma omp task shared(a) if (n > 12)
	a = fibonacci(n - 1);
	b = fibonacci(n - 2);
#pragma omp taskwait
	return a + b;
}

static long sum_of(long count)
{
	long *numbers = malloc((size_t)count * sizeof(*numbers)), sum = 0, i;

#pragma omp parallel for
	for (i = 0; i < count; i++)
		numbers[i] = i % 7;
#pragma omp parallel for reduction(+ : sum)
	for (i = 0; i < count; i++)
		sum += numbers[i];
	free(numbers);
	return sum;
}

int main(void)
{
	long result = 0;
	int status = 0;

	printf("%ld\n", sum_of(2000000));
	fflush(stdout);
	if (fork() == 0)
		_exit(5);
	wait(&status);
	printf("child: %d\n", WEXITSTATUS(status));
#pragma omp parallel
#pragma omp single
	result = fibonacci(22);
	printf("%ld\n", result);
	return 0;
}
