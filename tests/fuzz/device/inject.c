// SPDX-License-Identifier: BSD-3-Clause
/*
 * Systematic fault injection: for each request, and for loading the module, the n-th allocation (or copy from or to user space)
 * fails, for n = 1, 2, ... until none is left. A failed request must return a suitable error and change nothing: the same request
 * then succeeds. See fail-nth in Documentation/fault-injection/fault-injection.rst.
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LIMIT 1000

struct trial {
	int fd, extra;
	struct memphis_attach attach;
	void *area, *page;
};

static struct memphis_config plain = {.period = 1 << 16, .ring_records = 64, .wakeup_records = 1};

static int set_nth(unsigned int nth)
{
	static int fd = -1;
	static pid_t owner;
	char text[16];

	if (owner != gettid()) {
		fd = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
		owner = gettid();
	}
	snprintf(text, sizeof(text), "%u", nth);
	return pwrite(fd, text, strlen(text), 0) > 0 ? fd : -1;
}

/* Switches the injection off. Returns whether a failure was injected. */
static bool take_nth(int fd)
{
	char text[16] = "";
	bool used = pread(fd, text, sizeof(text) - 1, 0) > 0 && atoi(text) == 0;

	set_nth(0);
	return used;
}

static int opened(struct trial *trial)
{
	trial->fd = open("/dev/memphis", O_RDWR | O_CLOEXEC);
	return trial->fd < 0 ? errno : 0;
}

static int configured(struct trial *trial)
{
	plain.count = usable_count();
	return ask(trial->fd, MEMPHIS_IOC_CONFIGURE, &plain);
}

static int attached(struct trial *trial)
{
	trial->attach = (struct memphis_attach){0};
	return ask(trial->fd, MEMPHIS_IOC_ATTACH, &trial->attach);
}

static int started(struct trial *trial)
{
	return ask(trial->fd, MEMPHIS_IOC_START, NULL);
}

static int mapped(struct trial *trial, size_t bytes, int protection, off_t offset)
{
	trial->area = mmap(NULL, bytes, protection, MAP_SHARED, trial->fd, offset);
	if (trial->area == MAP_FAILED)
		return errno;
	munmap(trial->area, bytes);
	return 0;
}

/* Stays mapped, as a session lasts as long as its owner maps a part of it. */
static int map_session(struct trial *trial)
{
	trial->page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, trial->fd, 0);
	return trial->page == MAP_FAILED ? errno : 0;
}

static void end(struct trial *trial)
{
	if (trial->page && trial->page != MAP_FAILED)
		munmap(trial->page, 4096);
	close(trial->fd);
}

static int map_control(struct trial *trial)
{
	return mapped(trial, 4096, PROT_READ | PROT_WRITE, (off_t)trial->attach.control_offset);
}

static int map_ring(struct trial *trial)
{
	return mapped(trial, trial->attach.ring_bytes, PROT_READ, (off_t)trial->attach.ring_offset);
}

static int polled(struct trial *trial)
{
	struct pollfd one = {.fd = trial->fd, .events = POLLIN};

	return poll(&one, 1, 0) < 0 ? errno : 0;
}

static int asked(struct trial *trial)
{
	struct memphis_query query;

	return ask(trial->fd, MEMPHIS_IOC_QUERY, &query);
}

static int counted(struct trial *trial)
{
	struct memphis_stats stats;

	return ask(trial->fd, MEMPHIS_IOC_STATS, &stats);
}

static int stopped(struct trial *trial)
{
	return ask(trial->fd, MEMPHIS_IOC_STOP, NULL);
}

static int detached(struct trial *trial)
{
	return ask(trial->fd, MEMPHIS_IOC_DETACH, &(int32_t){0});
}

/* Each request depends on those before it. */
static const struct {
	const char *name;
	int (*run)(struct trial *trial);
} requests[] = {
	{"open", opened},          {"query", asked},   {"map", map_session}, {"configure", configured},
	{"attach", attached},      {"stats", counted}, {"start", started},   {"map of control", map_control},
	{"map of ring", map_ring}, {"poll", polled},   {"stop", stopped},    {"detach", detached},
};
#define REQUESTS (sizeof(requests) / sizeof(requests[0]))

/*
 * Suitable errors. ENOMEM: no memory; EFAULT: a failed copy; EAGAIN: some failures of mmap and poll; EOPNOTSUPP: perf, which without
 * memory for PEBS buffers treats precise events as not supported.
 */
static bool fits(int error)
{
	return error == ENOMEM || error == EFAULT || error == EAGAIN || error == EOPNOTSUPP;
}

static void inject_one(unsigned int which)
{
	unsigned int nth, failures = 0, i;
	bool used = true;

	for (nth = 1; used && nth < LIMIT; nth++) {
		struct trial trial = {.fd = -1};
		int error, again = 0, fd;

		for (i = 0; i < which; i++)
			if (requests[i].run(&trial)) {
				printf("not ok inject: %s before %s\n", requests[i].name,
				       requests[which].name);
				end(&trial);
				return;
			}
		fd = set_nth(nth);
		error = requests[which].run(&trial);
		used = take_nth(fd);
		failures += error != 0;
		if (error)
			again = requests[which].run(&trial);
		if ((error && (!used || !fits(error))) || again)
			printf("not ok inject: %s, allocation %u: %s, then %s\n", requests[which].name, nth,
			       strerror(error), strerror(again));
		end(&trial);
	}
	printf("ok inject: %s: %u points of failure, %u of them reported\n", requests[which].name, nth - 2,
	       failures);
}

void inject_requests(void)
{
	unsigned int i;

	usable_count(); /* cached now, while nothing fails */
	if (set_nth(0) < 0) {
		printf("not ok inject: the kernel has no fail-nth\n");
		return;
	}
	for (i = 0; i < REQUESTS; i++)
		inject_one(i);
	fflush(stdout);
}

/* Returns what the module reports about the machine. */
static struct memphis_query found(void)
{
	struct memphis_query query = {0};
	int fd = open("/dev/memphis", O_RDWR | O_CLOEXEC);

	ask(fd, MEMPHIS_IOC_QUERY, &query);
	close(fd);
	return query;
}

void inject_load(const char *path, uint32_t first, uint32_t count)
{
	struct memphis_query right, query;
	unsigned int nth, failures = 0;
	int module = open(path, O_RDONLY | O_CLOEXEC), error, fd;
	bool used = true;

	error = insert_module(module);
	right = found();
	if (error || unload_module())
		printf("not ok inject: load without a failure: %s\n", strerror(error));
	for (nth = first; used && nth < first + count; nth++) {
		fd = set_nth(nth);
		error = insert_module(module);
		used = take_nth(fd);
		failures += error != 0;
		if (error && (!used || access("/sys/module/" MODULE_NAME "/refcnt", F_OK) == 0))
			printf("not ok inject: load, allocation %u: %s%s\n", nth, strerror(error),
			       used ? ", and it is there" : "");
		if (error)
			continue;
		query = found();
		if (memcmp(&query, &right, sizeof(query)))
			printf("not ok inject: load, allocation %u: sampler %u of hardware %u instead of %u of %u\n",
			       nth, query.sampler, query.hardware, right.sampler, right.hardware);
		error = unload_module();
		if (error)
			printf("not ok inject: unload after allocation %u: %s\n", nth, strerror(error));
	}
	close(module);
	printf("ok inject: load: from allocation %u %u tried, %u failed the load%s\n", first, nth - first,
	       failures, used ? "" : ", the last there was");
	fflush(stdout);
}
