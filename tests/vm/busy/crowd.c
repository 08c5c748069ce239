// SPDX-License-Identifier: BSD-3-Clause
/*
 * 64 threads on 4 CPUs do the same work: each is sampled, and all equally often.
 * usage: crowd task|cpu
 */
#define _GNU_SOURCE
#include "node.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define THREADS 64
#define BYTES   (64u << 10)
#define LOADS   500000u

/* Chi-square with 63 degrees of freedom exceeds this with a probability of 1e-5. */
#define CHI_SQUARE_MAX 123.0

static pthread_barrier_t attached, begin, done;
static struct memphis_config config;
static struct thread_map maps[THREADS];
static int fd;

static void *work(void *argument)
{
	size_t index = (size_t)argument;
	uint64_t *buffer;

	buffer = buffer_on((int)(index % 4), BYTES);
	run_anywhere();
	maps[index] = attach_mapped(fd, 0, &config);
	pthread_barrier_wait(&attached);
	pthread_barrier_wait(&begin);
	walk(buffer, BYTES, LOADS);
	pthread_barrier_wait(&done);
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	uint64_t all = 0, user[THREADS], users = 0;
	unsigned int balanced = 0, kept = 0;
	double chi_square = 0, mean;
	struct memphis_stats stats;
	struct tally before;

	config = some_config();
	/* Of the ops, or of the loads, of which there are fewer. */
	config.period = hardware()->kind == MEMPHIS_HARDWARE_PEBS ? 4093 : 32768;
	fd = open_session(&config);
	pthread_barrier_init(&attached, NULL, THREADS + 1);
	pthread_barrier_init(&begin, NULL, THREADS + 1);
	pthread_barrier_init(&done, NULL, THREADS + 1);
	for (size_t i = 0; i < THREADS; i++)
		need(!pthread_create(&threads[i], NULL, work, (void *)i), "thread");
	pthread_barrier_wait(&attached);
	before = tally(fd);
	start(fd);
	pthread_barrier_wait(&begin);
	pthread_barrier_wait(&done);
	stop(fd);
	stats = read_stats(fd);
	for (size_t i = 0; i < THREADS; i++) {
		struct memphis_accounting accounting = read_books(&maps[i]);

		all += accounting.interrupts;
		balanced += books_sum(&accounting) == accounting.interrupts;
		kept += accounting.kept > 0;
		/*
		 * Count user mode only: the kernel's work differs between the threads, the program's does
		 * not.
		 */
		user[i] = accounting.interrupts - accounting.filtered[MEMPHIS_REASON_KERNEL_PC] -
			  accounting.filtered[MEMPHIS_REASON_INVALID];
		users += user[i];
	}
	mean = (double)users / THREADS;
	for (size_t i = 0; i < THREADS; i++)
		chi_square += ((double)user[i] - mean) * ((double)user[i] - mean) / mean;
	printf("# %.1f interrupts in user mode per thread, chi-square %.1f\n", mean, chi_square);
	check_equal("crowd: all threads are attached", stats.threads, THREADS);
	check_equal("crowd: every thread is sampled", kept, THREADS);
	check_equal("crowd: the accounting of every thread balances", balanced, THREADS);
	check_equal("crowd: the accountings together equal the machine's count", all,
		    delivered_since(fd, before));
	/*
	 * Each thread makes about 4.5 million steps; fewer than 100 interrupts per thread would make the test
	 * meaningless.
	 */
	check("crowd: there are enough interrupts for statistics", mean >= 100);
	check("crowd: the threads' shares are equal within the limits of chance",
	      chi_square <= CHI_SQUARE_MAX);
	check_equal("crowd: nothing is starved", stats.starved_ns, 0);
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	close_device(fd);
	return 0;
}
