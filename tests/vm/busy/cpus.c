// SPDX-License-Identifier: BSD-3-Clause
/*
 * All CPUs but one go offline and online repeatedly, under threads that may run anywhere and threads that are
 * bound to one of these CPUs. ../device/hotplug.c has the case of one CPU and one thread. usage: cpus
 * task|cpu
 */
#define _GNU_SOURCE
#include "node.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define THREADS 4
#define ROUNDS  3
#define BYTES   (64u << 10)
#define LOADS   10000u

static const int bound_to[THREADS] = {-1, -1, 2, 3}; /* -1: any CPU */

static pthread_barrier_t ready;
static struct memphis_config config;
static struct thread_map maps[THREADS];
static pid_t tids[THREADS];
static int fd;
static bool ending;

static void *work(void *argument)
{
	size_t index = (size_t)argument;
	uint64_t *buffer = buffer_on(bound_to[index] < 0 ? 1 : bound_to[index], BYTES);

	if (bound_to[index] < 0)
		run_anywhere();
	tids[index] = gettid();
	maps[index] = attach_mapped(fd, 0, &config);
	pthread_barrier_wait(&ready);
	while (!__atomic_load_n(&ending, __ATOMIC_ACQUIRE))
		walk(buffer, BYTES, LOADS);
	return NULL;
}

/* Waits until each thread has been sampled again; if one no longer is, the test hangs. */
static void let_all_work(void)
{
	for (size_t i = 0; i < THREADS; i++) {
		uint64_t head = __atomic_load_n(&maps[i].status->head, __ATOMIC_ACQUIRE);

		while (__atomic_load_n(&maps[i].status->head, __ATOMIC_ACQUIRE) < head + 3)
			usleep(1000);
	}
}

/* Counts the samples between these times on CPUs other than 0. */
static unsigned int elsewhere(uint64_t from, uint64_t to)
{
	unsigned int count = 0;

	for (size_t i = 0; i < THREADS; i++)
		for (uint64_t n = 0; n < maps[i].status->head; n++) {
			const struct memphis_sample *sample = &maps[i].records[n];

			count += sample->time_ns > from && sample->time_ns < to && sample->cpu;
		}
	return count;
}

/*
 * Binds the thread to its CPU again, which the kernel undid when the CPU went offline, and waits for a sample
 * there.
 */
static bool comes_back(size_t index)
{
	const struct thread_map *map = &maps[index];
	uint64_t n = map->status->head;

	run_thread_on(tids[index], bound_to[index]);
	for (;; n++) {
		while (__atomic_load_n(&map->status->head, __ATOMIC_ACQUIRE) <= n)
			usleep(1000);
		if (map->records[n].cpu == bound_to[index])
			return true;
	}
}

int main(void)
{
	uint64_t interrupts = 0, lost = 0, from, to;
	unsigned int balanced = 0, wrong = 0, back = 0;
	pthread_t threads[THREADS];
	struct tally before;

	config = some_config();
	config.ring_records = 1 << 16;
	run_on(0);
	fd = open_session(&config);
	pthread_barrier_init(&ready, NULL, THREADS + 1);
	for (size_t i = 0; i < THREADS; i++)
		need(!pthread_create(&threads[i], NULL, work, (void *)i), "thread");
	pthread_barrier_wait(&ready);
	before = tally(fd);
	start(fd);
	for (unsigned int round = 0; round < ROUNDS; round++) {
		let_all_work();
		for (int cpu = 1; cpu < 4; cpu++)
			set_online(cpu, false);
		from = now_ns();
		let_all_work();
		to = now_ns();
		wrong += elsewhere(from, to);
		for (int cpu = 1; cpu < 4; cpu++)
			set_online(cpu, true);
		back += comes_back(2) + comes_back(3);
	}
	let_all_work();
	stop(fd);
	for (size_t i = 0; i < THREADS; i++) {
		struct memphis_accounting accounting = read_books(&maps[i]);

		interrupts += accounting.interrupts;
		lost += accounting.lost;
		balanced += books_sum(&accounting) == accounting.interrupts;
	}
	check_equal("cpus: with one CPU left, all samples are from that CPU", wrong, 0);
	check_equal("cpus: bound threads are sampled on their CPUs again each time", back, 2 * ROUNDS);
	check_equal("cpus: the accounting balances", balanced, THREADS);
	check_equal("cpus: the accountings together equal the machine's count", interrupts,
		    delivered_since(fd, before));
	check_equal("cpus: nothing is lost", lost, 0);
	__atomic_store_n(&ending, true, __ATOMIC_RELEASE);
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	close_device(fd);
	return 0;
}
