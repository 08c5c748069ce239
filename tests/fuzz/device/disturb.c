// SPDX-License-Identifier: BSD-3-Clause
/*
 * Disturbers, each in a process of its own beside the workers: CPU hotplug, unloading of the module whenever the kernel allows it, memory
 * pressure, changing limits. A round has some of them.
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PARAMETERS "/sys/module/" MODULE_NAME "/parameters/"

unsigned int cpus(void)
{
	long count = sysconf(_SC_NPROCESSORS_CONF);

	return count > 1 ? (unsigned int)count : 2;
}

bool write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool done;

	if (fd < 0)
		return false;
	done = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	close(fd);
	return done;
}

bool read_file(const char *path, char *text, size_t bytes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return false;
	got = read(fd, text, bytes - 1);
	close(fd);
	text[got > 0 ? got : 0] = 0;
	return got > 0;
}

int insert_module(int fd)
{
	/* A low minimum period, so that samples come often with the per-CPU sampler, too; and no filter is forbidden. */
	return syscall(SYS_finit_module, fd, "period_min_cpu=1024 hardware_filters=1", 0) ? errno : 0;
}

int load_module(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), error = insert_module(fd);

	close(fd);
	if (error)
		return error;
	chmod("/dev/" MODULE_NAME, 0666);
	cover_locate();
	return 0;
}

int unload_module(void)
{
	return syscall(SYS_delete_module, MODULE_NAME, O_NONBLOCK) ? errno : 0;
}

bool should_stop(void)
{
	return __atomic_load_n(&shared->stop, __ATOMIC_RELAXED);
}

static void pause_some(struct worker *worker, unsigned int milliseconds)
{
	unsigned int left = roll(&worker->dice, milliseconds);

	for (; left && !should_stop(); left--)
		usleep(1000);
}

static void set_cpu(unsigned int cpu, const char *value)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online", cpu);
	write_file(path, value);
}

static void hotplug(struct worker *worker)
{
	while (!should_stop()) {
		set_cpu(1 + roll(&worker->dice, cpus() - 1), roll(&worker->dice, 2) ? "1" : "0");
		pause_some(worker, 1500);
	}
}

/* Unloading is refused while a session is open; otherwise the device disappears while workers open it. */
static void unload(struct worker *worker)
{
	while (!should_stop()) {
		pause_some(worker, 500);
		if (unload_module())
			continue;
		pause_some(worker, 50);
		load_module("/root/" MODULE_NAME ".ko");
	}
}

/* Takes half of the free memory: enough for the kernel to reclaim memory, but not to kill processes. */
static void press(struct worker *worker)
{
	while (!should_stop()) {
		size_t bytes = (size_t)sysconf(_SC_AVPHYS_PAGES) * 4096 / 2;
		char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		size_t offset;

		if (memory == MAP_FAILED)
			continue;
		for (offset = 0; offset < bytes && !should_stop(); offset += 4096)
			memory[offset] = 1;
		write_file("/proc/sys/vm/compact_memory", "1");
		write_file("/proc/sys/vm/drop_caches", "3");
		munmap(memory, bytes);
		pause_some(worker, 3000);
	}
}

static void limits(struct worker *worker)
{
	static const char *const budgets[] = {"0",       "4096",     "100000",
					      "2000000", "67108864", "18446744073709551615"};
	static const char *const threads[] = {"0", "1", "2", "3", "4096", "4294967295"};

	while (!should_stop()) {
		write_file(PARAMETERS "ring_budget_bytes", PICK(&worker->dice, budgets));
		pause_some(worker, 500);
		write_file(PARAMETERS "threads_max", PICK(&worker->dice, threads));
		pause_some(worker, 500);
		write_file(PARAMETERS "ring_budget_bytes", "67108864");
		write_file(PARAMETERS "threads_max", "4096");
		pause_some(worker, 1000);
	}
}

/* Changes perf's sample rate limit; throttling affects the module's events, too. */
static void throttle(struct worker *worker)
{
	static const char *const rates[] = {"1000", "5000", "100000", "10000000"};

	while (!should_stop()) {
		write_file("/proc/sys/kernel/perf_event_max_sample_rate", PICK(&worker->dice, rates));
		pause_some(worker, 1000);
	}
	write_file("/proc/sys/kernel/perf_event_max_sample_rate", "10000000");
}

/* Lets all workers give up their sessions at the same time, a few times in a round. */
static void bursts(struct worker *worker)
{
	while (!should_stop()) {
		pause_some(worker, 4000);
		__atomic_add_fetch(&shared->bursts, 1, __ATOMIC_RELAXED);
	}
}

/* Takes descriptors out of the messages between workers, as a daemon does that anyone may send some, and closes them later. */
static void receive(struct worker *worker)
{
	union {
		char bytes[CMSG_SPACE(16 * sizeof(int))];
		struct cmsghdr header;
	} control;
	char place;
	struct iovec part = {&place, 1};
	int first = dup(0);

	close(first);
	while (!should_stop()) {
		struct msghdr message = {.msg_iov = &part,
					 .msg_iovlen = 1,
					 .msg_control = &control,
					 .msg_controllen = sizeof(control)};

		if (recvmsg(FD_RECEIVE, &message, MSG_DONTWAIT) <= 0)
			pause_some(worker, 20);
		if (!roll(&worker->dice, 8))
			close_range((unsigned int)first, FD_SHARED - 1, 0);
	}
}

const struct action disturbers[] = {
	[SECOND_USER] = {"second user", 0, second_user},
	{"hotplug", 0, hotplug},
	{"unload", 0, unload},
	{"press", 0, press},
	{"limits", 0, limits},
	{"throttle", 0, throttle},
	{"bursts", 0, bursts},
	{"daemon", 0, receive},
	{0},
};

/* Writes the bounds of the module's code as text; allocations with a caller in this range can be made to fail. */
static void module_range(char *start, char *end, size_t bytes)
{
	char size[32] = "65536";

	snprintf(start, bytes, "%#llx", (unsigned long long)shared->text);
	read_file("/sys/module/" MODULE_NAME "/coresize", size, sizeof(size));
	snprintf(end, bytes, "%#llx", (unsigned long long)shared->text + strtoull(size, NULL, 10));
}

void fail_allocations(unsigned int percent)
{
	static const char *const kinds[] = {"failslab", "fail_page_alloc", "fail_usercopy"};
	static const struct {
		const char *name, *value;
	} settings[] = {{"verbose", "0"},          {"task-filter", "Y"},
			{"ignore-gfp-wait", "N"},  {"ignore-gfp-highmem", "N"},
			{"min-order", "0"},        {"interval", "1"},
			{"times", "-1"},           {"space", "0"},
			{"stacktrace-depth", "32"}};
	char path[128], start[32], end[32], text[16];
	unsigned int i, j;

	module_range(start, end, sizeof(start));
	snprintf(text, sizeof(text), "%u", percent);
	for (i = 0; i < 3; i++) {
		for (j = 0; j < sizeof(settings) / sizeof(settings[0]); j++) {
			snprintf(path, sizeof(path), "/sys/kernel/debug/%s/%s", kinds[i], settings[j].name);
			write_file(path, settings[j].value);
		}
		snprintf(path, sizeof(path), "/sys/kernel/debug/%s/require-start", kinds[i]);
		write_file(path, percent ? start : "0");
		snprintf(path, sizeof(path), "/sys/kernel/debug/%s/require-end", kinds[i]);
		write_file(path, percent ? end : "0xffffffffffffffff");
		snprintf(path, sizeof(path), "/sys/kernel/debug/%s/probability", kinds[i]);
		write_file(path, text);
	}
}

void restore_machine(void)
{
	unsigned int cpu;

	for (cpu = 1; cpu < cpus(); cpu++)
		set_cpu(cpu, "1");
	fail_allocations(0);
	write_file("/proc/sys/kernel/perf_event_max_sample_rate", "10000000");
	write_file(PARAMETERS "ring_budget_bytes", "67108864");
	write_file(PARAMETERS "threads_max", "4096");
}
