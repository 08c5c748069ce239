// SPDX-License-Identifier: BSD-3-Clause
/*
 * Threads that concurrently do everything to the same few sessions: requests, maps, closes, ends. Their
 * results are not checked; the kernel must neither complain nor leak. usage: storm SECONDS SEED
 */
#define _GNU_SOURCE
#include "session.h"

#include <linux/perf_event.h>

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SESSIONS 3
#define THREADS  6

static int files[SESSIONS];
static pid_t known[THREADS]; /* threads of this process, alive or ended */
static time_t end;
static unsigned long steps;

static uint64_t some_offset(unsigned int *seed)
{
	static const uint64_t odd[] = {0, 4096, 8192, ~0xfffULL >> 1, 1ULL << 62};

	if (rand_r(seed) % 4 == 0)
		return odd[rand_r(seed) % 5];
	return (1ULL + rand_r(seed) % 4) * (1ULL << 32) + (rand_r(seed) % 3) * 4096;
}

static void map_some(int fd, unsigned int *seed)
{
	size_t sizes[] = {4096, 8192, 4096 + 4096, 4096 + 64 * 1024};
	size_t bytes = sizes[rand_r(seed) % 4];
	int protection = rand_r(seed) % 2 ? PROT_READ : PROT_READ | PROT_WRITE;
	char *area = mmap(NULL, bytes, protection, rand_r(seed) % 8 ? MAP_SHARED : MAP_PRIVATE, fd,
			  (off_t)some_offset(seed));

	if (area == MAP_FAILED)
		return;
	if (protection & PROT_WRITE)
		memset(area, rand_r(seed), 128);
	/* Unmaps in parts, and sometimes not at all. */
	if (rand_r(seed) % 2 && bytes > 4096)
		munmap(area + 4096, bytes - 4096);
	else if (rand_r(seed) % 8)
		munmap(area, bytes);
}

static void configure_some(int fd, unsigned int *seed)
{
	struct memphis_config config = {
		.period = 2048 * (1u + (unsigned int)rand_r(seed) % 3),
		.count = (unsigned int)rand_r(seed) % 3,
		.drop = (unsigned int)rand_r(seed) % 17,
		.min_latency_cycles = emulated()->events & 1 ? (unsigned int)rand_r(seed) % 100 : 0,
		.events = rand_r(seed) % 2 ? one_event() : some_config().events,
		.ring_records = 1u << (rand_r(seed) % 12),
		.wakeup_records = 1,
		.counters = (unsigned int)rand_r(seed) % 32,
		.counter_events = {{.type = PERF_TYPE_RAW, .config = (unsigned int)rand_r(seed) % 0x10000}},
	};

	request(fd, MEMPHIS_IOC_CONFIGURE, &config);
}

static void reopen(int index)
{
	static void *pages[SESSIONS];
	int fd = open("/dev/memphis", O_RDWR | O_CLOEXEC);
	void *page, *before;

	if (fd < 0)
		return;
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	/* Replaces the session under the same descriptor number, while others use it. */
	dup3(fd, files[index], O_CLOEXEC);
	close(fd);
	before = __atomic_exchange_n(&pages[index], page == MAP_FAILED ? NULL : page, __ATOMIC_RELAXED);
	if (before)
		munmap(before, 4096);
}

static void fork_some(int fd)
{
	pid_t child = fork();

	if (!child) {
		request(fd, MEMPHIS_IOC_START, NULL);
		request(fd, MEMPHIS_IOC_STOP, NULL);
		_exit(0);
	}
	if (child > 0)
		waitpid(child, NULL, 0);
}

static void step(unsigned int *seed)
{
	int index = rand_r(seed) % SESSIONS, fd = files[index];
	struct memphis_attach attach = {.tid = rand_r(seed) % 3 ? known[rand_r(seed) % THREADS] : 0};
	struct pollfd file = {.fd = fd, .events = POLLIN};
	struct memphis_stats stats;
	struct memphis_query query;
	struct memphis_reading counters;
	volatile unsigned int spin;

	switch (rand_r(seed) % 64) {
	case 0:
		reopen(index);
		break;
	case 1:
		fork_some(fd);
		break;
	case 2 ... 7:
		configure_some(fd, seed);
		break;
	case 8 ... 19:
		request(fd, MEMPHIS_IOC_ATTACH, &attach);
		break;
	case 20 ... 27:
		request(fd, MEMPHIS_IOC_DETACH, &attach.tid);
		break;
	case 28 ... 35:
		request(fd, MEMPHIS_IOC_START, NULL);
		break;
	case 36 ... 41:
		request(fd, MEMPHIS_IOC_STOP, NULL);
		break;
	case 42 ... 51:
		map_some(fd, seed);
		break;
	case 52 ... 53:
		poll(&file, 1, 1);
		break;
	case 54:
		request(fd, MEMPHIS_IOC_STATS, &stats);
		break;
	case 55:
		request(fd, MEMPHIS_IOC_QUERY, &query);
		break;
	case 56:
		request(fd, (unsigned long)rand_r(seed) << 8 | (unsigned long)rand_r(seed) % 9, &query);
		break;
	case 57 ... 58:
		request(fd, MEMPHIS_IOC_READ, &counters);
		break;
	default:
		for (spin = 0; spin < 20000; spin++)
			;
	}
	__atomic_add_fetch(&steps, 1, __ATOMIC_RELAXED);
}

static void *storm(void *argument)
{
	unsigned int seed = (unsigned int)(uintptr_t)argument;
	unsigned int left = 50 + (unsigned int)rand_r(&seed) % 500;

	known[seed % THREADS] = gettid();
	while (left-- && time(NULL) < end)
		step(&seed);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	unsigned int i, seed;

	need(argc == 3, "usage: storm SECONDS SEED");
	end = time(NULL) + atoi(argv[1]);
	seed = (unsigned int)atoi(argv[2]);
	for (i = 0; i < SESSIONS; i++)
		files[i] = open_device();
	while (time(NULL) < end) {
		for (i = 0; i < THREADS; i++)
			need(!pthread_create(&threads[i], NULL, storm, (void *)(uintptr_t)(seed++)),
			     "thread");
		for (i = 0; i < THREADS; i++)
			pthread_join(threads[i], NULL);
	}
	check("storm: all requests returned", steps > 0);
	return 0;
}
