// SPDX-License-Identifier: BSD-3-Clause
/*
 * Threads that end while another thread attaches them, each a little later than the one before. Whatever the device answers, the
 * accounting of the attached threads contains each sample that the machine delivered.
 */
#define _GNU_SOURCE
#include "session.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define BYTES   (1u << 20)
#define THREADS 300
#define LOADS   300 /* by which a thread ends later than the one before */

static uint64_t *buffer;

struct brief {
	pthread_t thread;
	size_t loads;
	pid_t tid; /* 0: the thread does not run yet */
	int begun; /* the attach begins */
};

static void *walk_briefly(void *argument)
{
	struct brief *brief = argument;

	run_on(1);
	__atomic_store_n(&brief->tid, gettid(), __ATOMIC_RELEASE);
	while (!__atomic_load_n(&brief->begun, __ATOMIC_ACQUIRE))
		;
	walk(buffer, BYTES, brief->loads);
	return NULL;
}

/* Returns the interrupts of a thread that has ended. */
static uint64_t interrupts_of(int fd, struct thread_map *map)
{
	struct memphis_stats stats;
	struct memphis_accounting accounting;
	int32_t tid = map->attach.tid;

	while (!__atomic_load_n(&map->status->exited, __ATOMIC_ACQUIRE)) {
		need(!request(fd, MEMPHIS_IOC_STATS, &stats), "stats");
		usleep(1000);
	}
	accounting = read_books(map);
	need(!request(fd, MEMPHIS_IOC_DETACH, &tid), "detach");
	unmap(map);
	return accounting.interrupts;
}

/* Runs a thread that ends after so many loads from the begin of its attach; returns the interrupts in its accounting. */
static uint64_t run_one(int fd, const struct memphis_config *config, size_t loads, unsigned int *attached)
{
	struct brief brief = {.loads = loads};
	struct thread_map map;
	int err;

	need(!pthread_create(&brief.thread, NULL, walk_briefly, &brief), "thread");
	while (!__atomic_load_n(&brief.tid, __ATOMIC_ACQUIRE))
		usleep(100);
	__atomic_store_n(&brief.begun, 1, __ATOMIC_RELEASE);
	err = try_attach(fd, brief.tid, config, &map);
	need(!err || err == ESRCH, "attach");
	pthread_join(brief.thread, NULL);
	if (err)
		return 0;
	(*attached)++;
	return interrupts_of(fd, &map);
}

int main(void)
{
	struct memphis_config config = some_config();
	uint64_t delivered_before, unattached_before, interrupts = 0;
	unsigned int attached = 0;
	int fd = open_device();

	config.period = hardware()->kind == MEMPHIS_HARDWARE_PEBS ? 211 : config.period / 4;
	config.counters = 1u << MEMPHIS_COUNTER_CYCLES | 1u << MEMPHIS_COUNTER_INSTRUCTIONS;
	buffer = buffer_on(2, BYTES);
	run_on(0);
	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	need(!request(fd, MEMPHIS_IOC_START, NULL), "start");
	unattached_before = unattached(fd);
	delivered_before = delivered();
	for (size_t i = 0; i < THREADS; i++)
		interrupts += run_one(fd, &config, i * LOADS, &attached);
	printf("# %u of %u threads attached\n", attached, THREADS);
	check("brief threads: some are attached", attached > 0);
	check_equal("brief threads: the accounting equals the machine's count",
		    interrupts + unattached(fd) - unattached_before, delivered() - delivered_before);
	close_device(fd);
	return 0;
}
