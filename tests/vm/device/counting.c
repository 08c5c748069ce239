// SPDX-License-Identifier: BSD-3-Clause
/*
 * The counters of a thread: exact counts of known loops in user mode, of each thread apart, and the errors of
 * MEMPHIS_IOC_READ. usage: counting
 */
#define _GNU_SOURCE
#include "session.h"

#include <linux/perf_event.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 1000000u
#define BESIDE 1000u /* most instructions of user space in request() and around the loop */

static int fd;

static struct memphis_reading counts(void)
{
	struct memphis_reading counters;

	memset(&counters, 0xff, sizeof(counters));
	need(!request(fd, MEMPHIS_IOC_READ, &counters), "read");
	return counters;
}

/* Two instructions per round, without access to memory. */
static void loop(uint64_t rounds)
{
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(rounds)::"cc");
}

static bool is_about(uint64_t count, uint64_t expected)
{
	return count >= expected && count <= expected + BESIDE;
}

static struct memphis_reading since(const struct memphis_reading *before)
{
	struct memphis_reading now = counts();

	for (int i = 0; i < MEMPHIS_COUNTERS_MAX; i++)
		now.values[i] -= before->values[i];
	return now;
}

static void check_loop(const char *instructions, const char *cycles)
{
	struct memphis_reading before = counts(), done;

	loop(ROUNDS);
	done = since(&before);
	check(instructions, is_about(done.values[MEMPHIS_COUNTER_INSTRUCTIONS], 2 * ROUNDS));
	check(cycles, done.values[MEMPHIS_COUNTER_CYCLES] >= done.values[MEMPHIS_COUNTER_INSTRUCTIONS]);
}

/* What an event of the core may be is in tests/unit/kmod/core_event_test.c. */
static void check_refused_events(struct memphis_config config)
{
	static const struct {
		const char *name;
		struct memphis_counter_event event;
	} events[] = {
		{"EINVAL: counter of a software event", {.type = PERF_TYPE_SOFTWARE}},
		{"EINVAL: counter of a tracepoint", {.type = PERF_TYPE_TRACEPOINT, .config = 1}},
		{"EINVAL: counter of another PMU", {.type = PERF_TYPE_MAX}},
		{"EINVAL: counter of the kernel", {.type = PERF_TYPE_RAW, .config = 1 << 17 | 0xc0}},
		{"EINVAL: counter of any thread", {.type = PERF_TYPE_RAW, .config = 1 << 21 | 0xc0}},
		{"EINVAL: counter with a reserved field",
		 {.type = PERF_TYPE_RAW, .reserved = 1, .config = 0xc0}},
	};

	config.counters = 1u << MEMPHIS_COUNTER_EVENT_FIRST;
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++) {
		config.counter_events[0] = events[i].event;
		check_equal(events[i].name, request(fd, MEMPHIS_IOC_CONFIGURE, &config), EINVAL);
	}
	config.counter_events[1] = config.counter_events[0] =
		(struct memphis_counter_event){.type = PERF_TYPE_RAW, .config = 0xc0};
	check_equal("EINVAL: counter that is not selected", request(fd, MEMPHIS_IOC_CONFIGURE, &config),
		    EINVAL);
}

/* Three instructions per round, one of them a load. */
static void load(uint64_t rounds)
{
	uint64_t memory = 0, value;

	__asm__ volatile("1: mov %2, %1\n\tdec %0\n\tjnz 1b"
			 : "+r"(rounds), "=&r"(value)
			 : "m"(memory)
			 : "cc");
}

static void check_events(struct memphis_config config)
{
	struct memphis_reading before, done;
	struct thread_map map;

	config.counters = 1u << MEMPHIS_COUNTER_INSTRUCTIONS | 1u << MEMPHIS_COUNTER_EVENT_FIRST |
			  1u << (MEMPHIS_COUNTER_EVENT_FIRST + 1);
	config.counter_events[0] = (struct memphis_counter_event){
		.type = PERF_TYPE_RAW,
		.config = hardware()->kind == MEMPHIS_HARDWARE_IBS ? 0x0129 : 0x81d0,
	};
	config.counter_events[1] = (struct memphis_counter_event){
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_INSTRUCTIONS,
	};
	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure events");
	map = attach_mapped(fd, 0, &config);
	before = counts();
	load(ROUNDS);
	done = since(&before);
	check("counting: the loads of a loop", is_about(done.values[MEMPHIS_COUNTER_EVENT_FIRST], ROUNDS));
	check("counting: an event by the kernel's name",
	      is_about(done.values[MEMPHIS_COUNTER_EVENT_FIRST + 1], 3 * ROUNDS) &&
		      is_about(done.values[MEMPHIS_COUNTER_INSTRUCTIONS], 3 * ROUNDS));
	unmap(&map);
}

static void *other_thread(void *unused)
{
	struct memphis_config config = some_config();
	struct memphis_reading before;
	struct thread_map map;

	(void)unused;
	check_equal("ESRCH: read by a thread that is not attached", request(fd, MEMPHIS_IOC_READ, &before),
		    ESRCH);
	map = attach_mapped(fd, 0, &config);
	before = counts();
	check("counting: another thread begins with its own count",
	      before.values[MEMPHIS_COUNTER_INSTRUCTIONS] < ROUNDS);
	loop(ROUNDS);
	unmap(&map);
	return NULL;
}

static void check_threads(void)
{
	struct memphis_reading before = counts();
	pthread_t thread;

	need(!pthread_create(&thread, NULL, other_thread, NULL), "pthread_create");
	pthread_join(thread, NULL);
	check("counting: what another thread executes is not counted",
	      since(&before).values[MEMPHIS_COUNTER_INSTRUCTIONS] < ROUNDS);
}

/* The kernel clears 64 MiB: many more instructions than the program executes, a load and a store per page. */
static void check_kernel(void)
{
	const size_t bytes = 64u << 20;
	struct memphis_reading before = counts();
	volatile char *memory =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	check("counting: what the kernel executes is not counted",
	      since(&before).values[MEMPHIS_COUNTER_INSTRUCTIONS] < BESIDE);
	munmap((void *)memory, bytes);
}

static void check_child(void)
{
	struct memphis_reading counters;
	pid_t child = fork();
	int status;

	if (!child)
		_exit(request(fd, MEMPHIS_IOC_READ, &counters));
	need(child > 0 && waitpid(child, &status, 0) == child, "fork");
	check_equal("EPERM: read by a child", (uint64_t)WEXITSTATUS(status), EPERM);
}

static void check_errors(struct memphis_config config)
{
	struct memphis_reading counters;
	struct thread_map map;
	int32_t self = 0;

	config.counters = 0;
	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	map = attach_mapped(fd, 0, &config);
	check_equal("ENODATA: read without counters", request(fd, MEMPHIS_IOC_READ, &counters), ENODATA);
	need(!request(fd, MEMPHIS_IOC_DETACH, &self), "detach");
	unmap(&map);
	config.counters = 1u << MEMPHIS_COUNTER_INSTRUCTIONS;
	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	map = attach_mapped(fd, 0, &config);
	counters = counts();
	check("counting: a counter that is not selected is 0",
	      counters.values[MEMPHIS_COUNTER_CYCLES] == 0 &&
		      counters.values[MEMPHIS_COUNTER_INSTRUCTIONS] > 0);
	need(!request(fd, MEMPHIS_IOC_DETACH, &self), "detach");
	check_equal("ESRCH: read after the detach", request(fd, MEMPHIS_IOC_READ, &counters), ESRCH);
	unmap(&map);
}

int main(void)
{
	struct memphis_config config = some_config();
	struct thread_map map;

	fd = open_device();
	check_errors(config);
	config.counters = 1u << MEMPHIS_COUNTER_CYCLES | 1u << MEMPHIS_COUNTER_INSTRUCTIONS;
	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	map = attach_mapped(fd, 0, &config);
	check_loop("counting: the instructions of a loop, before the start",
		   "counting: at least a cycle per instruction, before the start");
	need(!request(fd, MEMPHIS_IOC_START, NULL), "start");
	check_loop("counting: the instructions of a loop, while samples are taken",
		   "counting: at least a cycle per instruction, while samples are taken");
	check_threads();
	check_kernel();
	check_child();
	check_equal("EFAULT: read to a bad pointer", request(fd, MEMPHIS_IOC_READ, (void *)16), EFAULT);
	need(!request(fd, MEMPHIS_IOC_STOP, NULL), "stop");
	check_loop("counting: the instructions of a loop, after the stop",
		   "counting: at least a cycle per instruction, after the stop");
	unmap(&map);
	close_device(fd);
	fd = open_device();
	check_refused_events(config);
	check_events(config);
	close_device(fd);
	return 0;
}
