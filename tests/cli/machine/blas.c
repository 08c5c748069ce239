/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A BLAS with DGEMM alone, and, with CLOCK, a clock to preload: in threads that have called DGEMM, it moves by exactly the time that the products take
 * at 0.5 GFLOP/s. Results are wrong if FAULT is defined, or, as OPTIMISED, if memphis node does not run one thread on each core.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* In the preloaded library. */
void memphis_test_pass(double seconds) __attribute__((weak));

#ifdef CLOCK
static __thread double own_time;

void memphis_test_pass(double seconds)
{
	own_time += (own_time ? 0 : 1) + seconds;
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
	if (!own_time)
		return (int)syscall(SYS_clock_gettime, clock, time);
	time->tv_sec = (time_t)own_time;
	time->tv_nsec = (long)((own_time - (double)time->tv_sec) * 1e9);
	return 0;
}
#else
static bool good = true;

#ifdef OPTIMISED
static int threads;

char *openblas_get_config(void)
{
	return "OpenBLAS 9.8.7 TEST ";
}

void openblas_set_num_threads(int count)
{
	threads = count;
}

static __attribute__((constructor)) void loaded(void)
{
	const char *setting = getenv("OPENBLAS_NUM_THREADS");

	good = setting && !strcmp(setting, "1");
}

static bool is_used_well(void)
{
	cpu_set_t cpus;

	return threads == 1 && !sched_getaffinity(0, sizeof(cpus), &cpus) &&
	       (CPU_COUNT(&cpus) == 1 || getpid() == syscall(SYS_gettid));
}
#else
static bool is_used_well(void)
{
	return true;
}
#endif

#ifdef FAULT
#define ADDED 1
#else
#define ADDED 0
#endif

void dgemm_(const char *op_a, const char *op_b, const int *m, const int *n, const int *k, const double *alpha,
	    const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
	    const int *ldc)
{
	const int rows = *m;

	if (*op_a != 'N' || *op_b != 'N' || *n != rows || *k != rows || *lda != rows || *ldb != rows ||
	    *ldc != rows || *alpha != 1 || *beta != 0)
		abort();
	memset(c, 0, sizeof(*c) * (size_t)rows * (size_t)rows);
	for (int j = 0; j < rows; j++)
		for (int l = 0; l < rows; l++)
			for (int i = 0; i < rows; i++)
				c[i + j * rows] += a[i + l * rows] * b[l + j * rows];
	c[rows * rows - 1] += good && is_used_well() ? ADDED : 1;
	if (memphis_test_pass)
		memphis_test_pass(2.0 * rows * rows * rows / 0.5e9);
}
#endif
