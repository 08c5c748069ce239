// SPDX-License-Identifier: BSD-3-Clause
/*
 * Every request of the device, and every error code that device.h names. usage: requests task|cpu
 * [perf|by-default|rounded]
 * `perf` (for root): while perf itself holds the PMU of a CPU. `by-default`: with the module's default
 * parameters, the checks of their effect on a session that samples per CPU. `rounded`: with minimum periods
 * that the hardware can't count (guest.sh).
 */
#define _GNU_SOURCE
#include "session.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memphis/version.h>

static int sampler;

static void check_query(void)
{
	struct memphis_query query;
	int fd = open_device();

	memset(&query, 0xff, sizeof(query));
	check_equal("query", request(fd, MEMPHIS_IOC_QUERY, &query), 0);
	check_equal("query: abi, of a caller that agrees on none", query.abi, 1);
	check_equal("query: hardware", query.hardware, hardware()->kind);
	check_equal("query: sampler", query.sampler, sampler);
	check_equal("query: counts", query.counts, hardware()->counts);
	check_equal("query: drops", query.drops, 15);
	check_equal("query: hardware_capabilities", query.hardware_capabilities, emulated()->capabilities);
	check_equal("query: period_min", query.period_min, hardware()->period_min);
	check_equal("query: period_max", query.period_max, hardware()->period_max);
	check_equal("query: period_step", query.period_step, hardware()->period_step);
	check_equal("query: ring_records_max", query.ring_records_max, 1048576);
	check_equal("query: threads_max", query.threads_max, 4096);
	check_equal("query: ring_budget_bytes", query.ring_budget_bytes, 268435456);
	check_equal("query: events", query.events, emulated()->events);
	check_equal("query: counters of cycles, instructions and six events", query.counters, 0xff);
	check_equal("query: counters of memory controllers, which are off", query.controllers, 0);
	check_equal("query: stack_budget", query.stack_budget, 2048);
	check("query: version", !strcmp(query.version, MEMPHIS_VERSION));
	check("query: pmu", !strcmp(query.pmu, hardware()->pmu));
	close_device(fd);
}

static void check_agreement(void)
{
	static const struct {
		const char *what;
		struct memphis_agreement asked;
		int error;
		uint32_t abi;    /* of the answer */
		uint32_t spoken; /* by the session afterwards */
	} rows[] = {
		{"agree: an older caller", {.oldest = 1, .newest = 1}, 0, 1, 1},
		{"agree: a caller of this version", {.oldest = 1, .newest = 2}, 0, 2, 2},
		{"agree: a newer caller that knows this version", {.oldest = 2, .newest = 3}, 0, 2, 2},
		{"agree: a newer caller that does not", {.oldest = 3, .newest = 4}, 0, 0, 1},
		{"agree: no range", {.oldest = 2, .newest = 1}, EINVAL, 0, 1},
		{"agree: version 0", {.oldest = 0, .newest = 2}, EINVAL, 0, 1},
		{"agree: reserved", {.oldest = 1, .newest = 2, .reserved = 1}, EINVAL, 0, 1},
	};
	struct memphis_agreement agreement;
	struct memphis_config config = some_config();
	struct memphis_query query;
	size_t i;
	int fd;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		fd = open_device();
		agreement = rows[i].asked;
		check_equal(rows[i].what, request(fd, MEMPHIS_IOC_AGREE, &agreement), rows[i].error);
		if (!rows[i].error) {
			check_equal(rows[i].what, agreement.abi, rows[i].abi);
			check_equal(rows[i].what, agreement.oldest, 1);
			check_equal(rows[i].what, agreement.newest, 2);
		}
		check_equal(rows[i].what, request(fd, MEMPHIS_IOC_QUERY, &query), 0);
		check_equal(rows[i].what, query.abi, rows[i].spoken);
		close_device(fd);
	}
	fd = open_device();
	agreement = rows[0].asked;
	check_equal("agree: configure", request(fd, MEMPHIS_IOC_CONFIGURE, &config), 0);
	check_equal("agree: busy after configure", request(fd, MEMPHIS_IOC_AGREE, &agreement), EBUSY);
	check_equal("agree: bad pointer", request(fd, MEMPHIS_IOC_AGREE, NULL), EFAULT);
	close_device(fd);
}

/*
 * Returns memory that can be read but not written: the kernel's first copy of a request succeeds, the second
 * fails.
 */
static void *read_only_copy(const void *from, size_t bytes)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	need(page != MAP_FAILED, "page");
	memcpy(page, from, bytes);
	need(!mprotect(page, 4096, PROT_READ), "mprotect");
	return page;
}

/* Makes an ioctl as a 32-bit program does, whose pointers have 32 bits. Returns 0 or a positive errno. */
static int request_32(int fd, unsigned long code, void *argument)
{
	const long ioctl_32 = 54;
	long result;

	asm volatile("int $0x80"
		     : "=a"(result)
		     : "a"(ioctl_32), "b"((long)fd), "c"(code), "d"((uintptr_t)argument)
		     : "memory");
	return (int)-result;
}

static void check_32_bit(void)
{
	struct memphis_query *query =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	int fd = open_device();

	need(query != MAP_FAILED, "memory below 4 GiB");
	check_equal("a 32-bit program can make requests", request_32(fd, MEMPHIS_IOC_QUERY, query), 0);
	check("a 32-bit program gets the same answer", query->abi == 1 && query->ring_records_max == 1048576);
	check_equal("a 32-bit program gets ENOTTY for an unknown request",
		    request_32(fd, _IO(MEMPHIS_IOC_MAGIC, 7), NULL), ENOTTY);
	close_device(fd);
}

static void check_pointers(void)
{
	struct memphis_config config = some_config();
	struct memphis_attach attach = {0};
	struct memphis_stats stats;
	int fd = open_device();

	check_equal("ENOTTY: unknown request", request(fd, _IO(MEMPHIS_IOC_MAGIC, 7), NULL), ENOTTY);
	check_equal("ENOTTY: known number, other size", request(fd, _IOR(MEMPHIS_IOC_MAGIC, 0, int), &config),
		    ENOTTY);
	check_equal("ENOTTY: terminal's request", request(fd, 0x5401, &config), ENOTTY);
	check_equal("EACCES: controllers, which are off", request(fd, MEMPHIS_IOC_CONTROLLERS, NULL), EACCES);
	check_equal("EFAULT: query", request(fd, MEMPHIS_IOC_QUERY, NULL), EFAULT);
	check_equal("EFAULT: configure", request(fd, MEMPHIS_IOC_CONFIGURE, (void *)8), EFAULT);
	check_equal("EFAULT: configure from kernel memory",
		    request(fd, MEMPHIS_IOC_CONFIGURE, (void *)0xffffffff81000000), EFAULT);
	check_equal("EFAULT: stats", request(fd, MEMPHIS_IOC_STATS, (void *)0xffffffff81000000), EFAULT);
	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	check_equal("EFAULT: attach", request(fd, MEMPHIS_IOC_ATTACH, NULL), EFAULT);
	check_equal("EFAULT: detach", request(fd, MEMPHIS_IOC_DETACH, NULL), EFAULT);
	check_equal("EFAULT: attach can't write its result",
		    request(fd, MEMPHIS_IOC_ATTACH, read_only_copy(&attach, sizeof(attach))), EFAULT);
	need(!request(fd, MEMPHIS_IOC_STATS, &stats), "stats");
	check_equal("an attach that can't write its result leaves nothing attached", stats.threads, 0);
	close_device(fd);
}

static void check_config(int fd, const char *name, void (*spoil)(struct memphis_config *))
{
	struct memphis_config config = some_config();

	spoil(&config);
	check_equal(name, request(fd, MEMPHIS_IOC_CONFIGURE, &config), EINVAL);
}

#define SPOIL(name, change)                             \
	static void name(struct memphis_config *config) \
	{                                               \
		change;                                 \
	}

SPOIL(no_period, config->period = 0)
SPOIL(short_period, config->period = hardware()->period_min - hardware()->period_step)
SPOIL(long_period, config->period = hardware()->period_max + hardware()->period_step)
SPOIL(huge_period, config->period = 1ULL << 63)
SPOIL(odd_period, config->period += hardware()->period_step > 1 ? 1 : 1ULL << 32)
SPOIL(unknown_count, config->count = 3)
SPOIL(huge_count, config->count = 32)
SPOIL(unknown_drop, config->drop = 0x10)
SPOIL(large_latency, config->min_latency_cycles = 0x10000)
SPOIL(no_ring, config->ring_records = 0)
SPOIL(odd_ring, config->ring_records = 3000)
SPOIL(large_ring, config->ring_records = 1 << 21)
SPOIL(no_wakeup, config->wakeup_records = 0)
SPOIL(late_wakeup, config->wakeup_records = config->ring_records + 1)
SPOIL(counters, config->counters = 0x100)
SPOIL(unknown_event, config->events = 1u << MEMPHIS_EVENTS)
SPOIL(latency_by_source, config->events = 0x2; config->min_latency_cycles = 3)
SPOIL(same_loads_twice, config->events = 0x3)

static void check_values(void)
{
	struct memphis_config config = some_config();
	int fd = open_device();

	check_config(fd, "EINVAL: no period", no_period);
	check_config(fd, "EINVAL: period below the minimum", short_period);
	check_config(fd, "EINVAL: period above the maximum", long_period);
	check_config(fd, "EINVAL: huge period", huge_period);
	check_config(fd, "EINVAL: a period that the hardware can't count", odd_period);
	check_config(fd, "EINVAL: unknown count", unknown_count);
	check_config(fd, "EINVAL: huge count", huge_count);
	check_config(fd, "EINVAL: unknown drop", unknown_drop);
	check_config(fd, "EINVAL: latency", large_latency);
	check_config(fd, "EINVAL: no ring", no_ring);
	check_config(fd, "EINVAL: ring not a power of two", odd_ring);
	check_config(fd, "EINVAL: ring too large", large_ring);
	check_config(fd, "EINVAL: no wake-up", no_wakeup);
	check_config(fd, "EINVAL: wake-up beyond the ring", late_wakeup);
	check_config(fd, "EINVAL: unknown counter", counters);
	check_config(fd, "EINVAL: unknown event", unknown_event);
	check_config(fd, "EINVAL: latency of loads by source", latency_by_source);
	check_config(fd, "EINVAL: events that sample the same loads", same_loads_twice);
	config.events = 0x1e;
	check_equal("configure: events of loads by source", request(fd, MEMPHIS_IOC_CONFIGURE, &config),
		    hardware()->kind == MEMPHIS_HARDWARE_IBS ? EINVAL : 0);
	config.events = 0;
	check_equal("configure: no event is named", request(fd, MEMPHIS_IOC_CONFIGURE, &config),
		    emulated()->events & 1 ? 0 : EINVAL);
	config = some_config();
	config.period = hardware()->period_min;
	check_equal("configure: smallest period", request(fd, MEMPHIS_IOC_CONFIGURE, &config), 0);
	config.period = hardware()->period_max;
	check_equal("configure: largest period", request(fd, MEMPHIS_IOC_CONFIGURE, &config), 0);
	config.min_latency_cycles = 0xffff;
	check_equal("configure: largest latency", request(fd, MEMPHIS_IOC_CONFIGURE, &config),
		    emulated()->events & 1 ? 0 : EINVAL);
	close_device(fd);
}

static void check_order(void)
{
	struct memphis_config config = some_config();
	struct memphis_attach attach = {0};
	struct memphis_stats stats;
	int32_t tid = 0;
	int fd = open_device(), other = open_device();

	check_equal("ENODATA: attach before configure", request(fd, MEMPHIS_IOC_ATTACH, &attach), ENODATA);
	check_equal("ENODATA: start before configure", request(fd, MEMPHIS_IOC_START, NULL), ENODATA);
	check_equal("EALREADY: stop before start", request(fd, MEMPHIS_IOC_STOP, NULL), EALREADY);
	check_equal("ESRCH: detach of a thread that is not attached", request(fd, MEMPHIS_IOC_DETACH, &tid),
		    ESRCH);
	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	need(!request(other, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	check_equal("attach", request(fd, MEMPHIS_IOC_ATTACH, &attach), 0);
	check_equal("attach: ring_bytes", attach.ring_bytes, 4096 + 4096 * 40);
	attach.tid = gettid();
	check_equal("EEXIST: attached already", request(fd, MEMPHIS_IOC_ATTACH, &attach), EEXIST);
	check_equal("EEXIST: attached by another session", request(other, MEMPHIS_IOC_ATTACH, &attach),
		    EEXIST);
	check_equal("EBUSY: configure with a thread attached", request(fd, MEMPHIS_IOC_CONFIGURE, &config),
		    EBUSY);
	check_equal("start", request(fd, MEMPHIS_IOC_START, NULL), 0);
	check_equal("EALREADY: start of a running session", request(fd, MEMPHIS_IOC_START, NULL), EALREADY);
	need(!request(fd, MEMPHIS_IOC_STATS, &stats), "stats");
	check_equal("stats: threads", stats.threads, 1);
	check_equal("stats: running", stats.running, 1);
	check_equal("stats: ring_bytes", stats.ring_bytes, 4096 + 4096 * 40);
	check("stats: reserved is zero", !stats.reserved[0] && !stats.reserved[1]);
	check_equal("stop", request(fd, MEMPHIS_IOC_STOP, NULL), 0);
	check_equal("EALREADY: stop of a stopped session", request(fd, MEMPHIS_IOC_STOP, NULL), EALREADY);
	tid = gettid();
	check_equal("detach", request(fd, MEMPHIS_IOC_DETACH, &tid), 0);
	check_equal("ESRCH: detach twice", request(fd, MEMPHIS_IOC_DETACH, &tid), ESRCH);
	check_equal("attach again, by another session", request(other, MEMPHIS_IOC_ATTACH, &attach), 0);
	check_equal("an attach that failed leaves no slot", attach.control_offset, 1ULL << 32);
	check_equal("configure with none attached", request(fd, MEMPHIS_IOC_CONFIGURE, &config), 0);
	close_device(other);
	attach.tid = 0;
	check_equal("attach again, after the other session's end", request(fd, MEMPHIS_IOC_ATTACH, &attach),
		    0);
	close_device(fd);
}

static void check_threads(void)
{
	struct memphis_config config = some_config();
	struct memphis_attach attach = {.tid = 0, .memory = 1};
	int fd = open_device();
	pid_t child = fork();

	if (!child) {
		pause();
		_exit(0);
	}
	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	check_equal("EINVAL: attach of the caller as another process",
		    request(fd, MEMPHIS_IOC_ATTACH, &attach), EINVAL);
	attach = (struct memphis_attach){.tid = -1};
	check_equal("EINVAL: attach, negative thread", request(fd, MEMPHIS_IOC_ATTACH, &attach), EINVAL);
	attach = (struct memphis_attach){.tid = 0x7fffffff};
	check_equal("ESRCH: attach of no thread", request(fd, MEMPHIS_IOC_ATTACH, &attach), ESRCH);
	attach = (struct memphis_attach){.tid = 1};
	check_equal("ESRCH: attach of process 1", request(fd, MEMPHIS_IOC_ATTACH, &attach), ESRCH);
	attach = (struct memphis_attach){.tid = 2};
	check_equal("ESRCH: attach of a kernel thread", request(fd, MEMPHIS_IOC_ATTACH, &attach), ESRCH);
	attach = (struct memphis_attach){.tid = child};
	check_equal("ESRCH: attach of the own child process", request(fd, MEMPHIS_IOC_ATTACH, &attach),
		    ESRCH);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close_device(fd);
}

static pthread_barrier_t all_known;
static pid_t tids[8];

static void *wait_for_ever(void *argument)
{
	*(pid_t *)argument = gettid();
	pthread_barrier_wait(&all_known);
	for (;;)
		pause();
	return NULL;
}

static void make_threads(void)
{
	pthread_t thread;
	unsigned int i;

	pthread_barrier_init(&all_known, NULL, 9);
	for (i = 0; i < 8; i++)
		need(!pthread_create(&thread, NULL, wait_for_ever, &tids[i]), "thread");
	pthread_barrier_wait(&all_known);
}

static int attach_tid(int fd, pid_t tid)
{
	struct memphis_attach attach = {.tid = tid};

	return request(fd, MEMPHIS_IOC_ATTACH, &attach);
}

/* 256 MiB hold six rings of 2^20 records, but not a seventh. */
static void check_budget(void)
{
	struct memphis_config config = some_config();
	unsigned int i, attached = 0;
	int fd = open_device(), other = open_device();
	int32_t tid;

	config.ring_records = 1 << 20;
	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	need(!request(other, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	for (i = 0; i < 6; i++)
		attached += !attach_tid(fd, tids[i]);
	check_equal("six large rings fit the budget", attached, 6);
	check_equal("EDQUOT: a seventh large ring", attach_tid(fd, tids[6]), EDQUOT);
	check_equal("EDQUOT: a seventh large ring in another session of the user", attach_tid(other, tids[6]),
		    EDQUOT);
	tid = tids[0];
	need(!request(fd, MEMPHIS_IOC_DETACH, &tid), "detach");
	check_equal("a detached ring's budget is free for another session", attach_tid(other, tids[6]), 0);
	close_device(fd);
	close_device(other);
}

/* Writes a parameter of the module through a descriptor that root has opened. */
static void write_parameter(const char *variable, const char *name, const char *value)
{
	char path[128];
	int file;

	snprintf(path, sizeof(path), "/sys/module/memphis/parameters/%s", name);
	file = file_of_root(variable, path, O_WRONLY);
	need(pwrite(file, value, strlen(value), 0) == (ssize_t)strlen(value), name);
}

static void limit_threads(const char *value)
{
	write_parameter("FILE_THREADS_MAX", "threads_max", value);
}

static void limit_bytes(const char *value)
{
	write_parameter("FILE_RING_BUDGET", "ring_budget_bytes", value);
}

static void check_limit(void)
{
	struct memphis_config config = some_config();
	int fd = open_device();

	limit_threads("2");
	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	need(!attach_tid(fd, tids[0]) && !attach_tid(fd, tids[1]), "attach");
	check_equal("ENOSPC: threads_max reached", attach_tid(fd, tids[2]), ENOSPC);
	limit_threads("4096");
	close_device(fd);
}

static void *attach_and_end(void *argument)
{
	return (void *)(intptr_t)attach_tid(*(int *)argument, 0);
}

/*
 * Memory charged: five pages for the session; for each thread a control page, a status page, a page of
 * records, and 24 KiB for the task.
 */
static void check_ended(void)
{
	struct memphis_config config = some_config();
	unsigned int attached = 0;
	void *error = NULL;
	pthread_t thread;
	int fd = open_device();

	config.ring_records = config.wakeup_records = 1;
	config.events = one_event();
	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	limit_bytes("131072"); /* 20480 + 3 * 36864 */
	while (!error && attached < 16) {
		need(!pthread_create(&thread, NULL, attach_and_end, &fd), "thread");
		pthread_join(thread, &error);
		attached += !error;
	}
	check_equal("EDQUOT: ended tasks that nobody detached use up the budget", (intptr_t)error, EDQUOT);
	check_equal("three ended tasks fit a budget for three", attached, 3);
	close_device(fd);
	fd = open_device();
	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	check_equal("the budget of ended tasks is free after closing", attach_tid(fd, 0), 0);
	limit_bytes("268435456");
	close_device(fd);
}

/* Each event of a thread beyond the first adds 2 KiB to the memory charged by check_ended(). */
static void check_events_charged(void)
{
	struct memphis_config config = some_config();
	struct memphis_query query = {0};
	unsigned int bytes, missing;
	char text[16];
	int fd;

	for (missing = 0; missing < 2; missing++) {
		fd = open_device();
		need(!request(fd, MEMPHIS_IOC_QUERY, &query), "query");
		config.ring_records = config.wakeup_records = 1;
		/* All events of loads by source if there is one; else all accesses. */
		config.events = query.events & ~1u ? query.events & ~1u : 1;
		bytes = 20480 + 36864 + 2048 * ((unsigned int)__builtin_popcount(config.events) - 1) -
			missing;
		snprintf(text, sizeof(text), "%u", bytes);
		need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
		limit_bytes(text);
		check_equal(missing ? "EDQUOT: a byte less than a thread with all events is charged"
				    : "a thread with all events fits its charge",
			    attach_tid(fd, 0), missing ? EDQUOT : 0);
		limit_bytes("268435456");
		close_device(fd);
	}
}

/* The per-CPU sampler has a single period for all sessions; per task, each session has its own. */
static void check_sharing(void)
{
	struct memphis_config config = some_config();
	int fd = open_device(), other = open_device();
	int busy = sampler == MEMPHIS_SAMPLER_CPU ? EBUSY : 0;

	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	need(!attach_tid(fd, tids[0]), "attach");
	need(!request(other, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	check_equal("attach by a session of the same period", attach_tid(other, tids[1]), 0);
	close_device(other);
	other = open_device();
	config.period *= 2;
	need(!request(other, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	check_equal("attach by a session of another period", attach_tid(other, tids[1]), busy);
	close_device(other);
	other = open_device();
	config = some_config();
	if (hardware()->kind == MEMPHIS_HARDWARE_IBS)
		config.count = MEMPHIS_COUNT_CYCLES;
	else if (emulated()->events & 1)
		config.min_latency_cycles = 100;
	else
		config.events = one_event();
	need(!request(other, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	check_equal("attach by a session of another count, latency or event", attach_tid(other, tids[1]),
		    busy);
	close_device(fd);
	check_equal("attach after the conflicting session has ended", attach_tid(other, tids[2]), 0);
	close_device(other);
}

static uint32_t perf_type(void)
{
	uint32_t type = hardware()->perf_type;
	FILE *file;

	if (type)
		return type;
	file = fopen("/sys/bus/event_source/devices/ibs_op/type", "r");
	need(file && fscanf(file, "%u", &type) == 1, "type of ibs_op");
	fclose(file);
	return type;
}

/*
 * Opens a perf event for all tasks on CPU 0, which perf_event_paranoid reserves for root. Then executes
 * this program again as the user of a site, who inherits the descriptor.
 */
static void hold_perf(const char *kind)
{
	/* Pinned, so that perf never rotates the PMU to another event. */
	struct perf_event_attr attr = {
		.type = perf_type(), .size = sizeof(attr), .sample_period = 1 << 26, .pinned = 1};
	char number[16], program[256];
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
	int event;

	if (hardware()->kind == MEMPHIS_HARDWARE_PEBS) {
		attr.config = 0x1cd;
		attr.config1 = 100;
		attr.precise_ip = 2;
	}
	event = syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);
	need(event >= 0, "perf_event_open");
	need(length > 0, "/proc/self/exe");
	program[length] = 0;
	snprintf(number, sizeof(number), "%d", event);
	execlp("site-user", "site-user", program, kind, number, NULL);
	need(false, "site-user");
}

static void check_perf(int event)
{
	struct memphis_config config = some_config();
	int fd = open_device();

	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	need(!attach_tid(fd, tids[0]), "attach");
	check_equal("start while perf has the PMU of a CPU", request(fd, MEMPHIS_IOC_START, NULL),
		    sampler == MEMPHIS_SAMPLER_CPU ? EBUSY : 0);
	request(fd, MEMPHIS_IOC_STOP, NULL);
	close(event);
	check_equal("start after perf has left", request(fd, MEMPHIS_IOC_START, NULL), 0);
	close_device(fd);
}

/* Sampling per CPU also interrupts other users' processes, so its minimum period is larger. */
static void check_least_period(void)
{
	uint64_t least = sampler == MEMPHIS_SAMPLER_CPU ? 262144 : hardware()->period_min;
	struct memphis_config config = some_config();
	struct memphis_query query;
	int fd = open_device();

	need(!request(fd, MEMPHIS_IOC_QUERY, &query), "query");
	check_equal("by default: a query returns the minimum period", query.period_min, least);
	config.period = least - query.period_step;
	check_equal("by default: a shorter period is refused", request(fd, MEMPHIS_IOC_CONFIGURE, &config),
		    EINVAL);
	config.period = least;
	check_equal("by default: the minimum period is accepted", request(fd, MEMPHIS_IOC_CONFIGURE, &config),
		    0);
	close_device(fd);
}

/* The module was loaded with period_min=1000 period_min_cpu=5000; IBS counts multiples of 16. */
static void check_rounded_period(void)
{
	uint64_t least = sampler == MEMPHIS_SAMPLER_CPU              ? 5008
			 : hardware()->kind == MEMPHIS_HARDWARE_PEBS ? 1000
								     : 1008;
	struct memphis_config config = some_config();
	struct memphis_query query;
	int fd = open_device();

	need(!request(fd, MEMPHIS_IOC_QUERY, &query), "query");
	check_equal("rounded: a minimum period is not rounded to a shorter one", query.period_min, least);
	config.period = least;
	check_equal("rounded: the minimum period is accepted", request(fd, MEMPHIS_IOC_CONFIGURE, &config),
		    0);
	close_device(fd);
}

int main(int argc, char **argv)
{
	need(argc == 2 || argc == 3, "usage: requests task|cpu [perf|by-default|rounded|DESCRIPTOR]");
	sampler = expected_sampler(argv[1]);
	if (argc == 3 && !strcmp(argv[2], "rounded")) {
		check_rounded_period();
		return 0;
	}
	if (argc == 3 && !strcmp(argv[2], "by-default")) {
		check_least_period();
		return 0;
	}
	if (argc == 3 && !strcmp(argv[2], "perf"))
		hold_perf(argv[1]);
	if (argc == 3) {
		make_threads();
		check_perf(atoi(argv[2]));
		return 0;
	}
	check_query();
	check_agreement();
	check_32_bit();
	check_pointers();
	check_values();
	check_order();
	check_threads();
	make_threads();
	check_budget();
	check_limit();
	check_ended();
	check_events_charged();
	check_sharing();
	return 0;
}
