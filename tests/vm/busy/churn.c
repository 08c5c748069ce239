// SPDX-License-Identifier: BSD-3-Clause
/*
 * Many short-lived threads, four at a time: each is attached, and detached after it has been joined. Then its
 * accounting is final, and the sum over all threads is what the machine delivered to them. The main thread
 * stays attached. usage: churn THREADS
 */
#define _GNU_SOURCE
#include "node.h"

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define AT_ONCE 4 /* the C library caches the stacks of this many threads */
#define BYTES   (64u << 10)
#define LOADS   2500u

static struct memphis_config config;
static uint64_t *buffer;
static int fd;

struct visitor {
	pthread_t thread;
	pid_t tid;
	struct memphis_attach attach;
};

static struct sums {
	uint64_t interrupts, kept;
	unsigned int detached, balanced, sampled;
} sums;

static void *visit(void *argument)
{
	struct visitor *self = argument;

	self->tid = gettid();
	self->attach = (struct memphis_attach){0};
	errno = request(fd, MEMPHIS_IOC_ATTACH, &self->attach);
	need(!errno, "attach");
	walk(buffer, BYTES, LOADS);
	return NULL;
}

static void add_books(const struct memphis_accounting *accounting)
{
	sums.balanced += books_sum(accounting) == accounting->interrupts;
	sums.sampled += accounting->interrupts > 0;
	sums.interrupts += accounting->interrupts;
	sums.kept += accounting->kept;
}

/* Detaches a thread. A joined thread may still be executing its last steps on its CPU. */
static void detach_visitor(struct visitor *visitor)
{
	size_t bytes = visitor->attach.ring_bytes;
	struct thread_map map = {0};
	struct memphis_accounting accounting;

	map.status = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, (off_t)visitor->attach.ring_offset);
	need(map.status != MAP_FAILED, "map of the ring");
	errno = request(fd, MEMPHIS_IOC_DETACH, &visitor->tid);
	need(!errno, "detach");
	sums.detached++;
	accounting = read_books(&map);
	add_books(&accounting);
	munmap((void *)map.status, bytes);
}

static void let_visit(struct visitor *crew)
{
	for (size_t i = 0; i < AT_ONCE; i++)
		need(!pthread_create(&crew[i].thread, NULL, visit, &crew[i]), "thread");
	for (size_t i = 0; i < AT_ONCE; i++) {
		pthread_join(crew[i].thread, NULL);
		detach_visitor(&crew[i]);
	}
}

/*
 * Limits the process to two CPUs: each unmapping sends an interrupt to every CPU on which the process runs.
 */
static void run_on_both(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	CPU_SET(1, &set);
	need(!sched_setaffinity(0, sizeof(set), &set), "affinity");
}

int main(int argc, char **argv)
{
	unsigned int crews = argc == 2 ? (unsigned int)atoi(argv[1]) / AT_ONCE : 0;
	struct visitor crew[AT_ONCE];
	struct memphis_stats stats;
	struct memphis_accounting own;
	struct thread_map map;
	struct tally before;
	uint64_t begin;
	int other;

	need(crews > 0, "number of threads");
	buffer = buffer_on(0, BYTES);
	run_on_both();
	config = some_config();
	/*
	 * The counter starts anew in each thread, so the period must be short enough for a thread to reach.
	 */
	if (hardware()->kind == MEMPHIS_HARDWARE_PEBS)
		config.period = 1021;
	config.ring_records = 64;
	config.wakeup_records = 64;
	other = open_device();
	before = tally(other);
	fd = open_session(&config);
	map = attach_mapped(fd, 0, &config);
	begin = now_ns();
	start(fd);
	for (size_t i = 0; i < crews; i++)
		let_visit(crew);
	stop(fd);
	stats = read_stats(fd);
	own = read_books(&map);
	printf("# %" PRIu64 " s, %u threads interrupted, %" PRIu64 " times, %" PRIu64 " samples kept\n",
	       (now_ns() - begin) / 1000000000, sums.sampled, sums.interrupts, sums.kept);
	check_equal("churn: all threads were attached and detached", sums.detached, crews * AT_ONCE);
	check_equal("churn: the accounting of each thread balances", sums.balanced, crews * AT_ONCE);
	check("churn: nearly all threads were interrupted", sums.sampled > crews * AT_ONCE / 10 * 9);
	check("churn: samples are kept", sums.kept > 0);
	check_equal("churn: the accountings of all threads together equal the machine's count",
		    sums.interrupts + own.interrupts, delivered_since(other, before));
	check_equal("churn: the main thread's accounting balances", books_sum(&own), own.interrupts);
	check_equal("churn: only the main thread is still attached", stats.threads, 1);
	check_equal("churn: the kernel holds only the main thread's ring", rings_in_kernel(), 1);
	unmap(&map);
	close_device(fd);
	check_equal("churn: the kernel holds no ring after the session was closed", rings_in_kernel(), 0);
	close_device(other);
	return 0;
}
