// SPDX-License-Identifier: BSD-3-Clause
/*
 * Malicious arguments: bad pointers of every kind, every unknown flag, other users' threads.
 * usage: arguments
 */
#define _GNU_SOURCE
#include "common.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/wait.h>
#include <unistd.h>

/* Bad locations for a structure: all of it is bad, or only its last word. */
struct place {
	const char *name;
	uintptr_t address;
};

/* Maps two pages, so that the mapping never fits into the hole that half() leaves. */
static char *pages(int protection)
{
	char *area = mmap(NULL, 8192, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	need(area != MAP_FAILED, "page");
	return area;
}

/*
 * Returns an address in the first of two pages, the second of which is unusable: the last four bytes of a
 * structure at this address are in the second.
 */
static uintptr_t half(int second, size_t bytes)
{
	char *area = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	need(area != MAP_FAILED, "pages");
	if (second < 0)
		munmap(area + 4096, 4096);
	else
		mprotect(area + 4096, 4096, second);
	return (uintptr_t)area + 4096 + 4 - bytes;
}

static bool all_fault(int fd, unsigned long code, const struct place *places, size_t count)
{
	bool fault = true;

	for (size_t i = 0; i < count; i++) {
		int error = request(fd, code, (void *)places[i].address);

		if (error != EFAULT)
			printf("# %s at %s: %d\n", "request", places[i].name, error);
		fault &= error == EFAULT;
	}
	return fault;
}

static void check_pointers(int fd)
{
	static const struct {
		const char *name;
		unsigned long code;
		bool writes; /* the kernel writes to user memory */
	} requests[] = {
		{"query", MEMPHIS_IOC_QUERY, true},    {"configure", MEMPHIS_IOC_CONFIGURE, false},
		{"attach", MEMPHIS_IOC_ATTACH, false}, {"detach", MEMPHIS_IOC_DETACH, false},
		{"stats", MEMPHIS_IOC_STATS, true},
	};
	char name[64];

	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
		size_t bytes = _IOC_SIZE(requests[i].code);
		const struct place places[] = {
			{"nothing", 0},
			{"the first page", 8},
			{"the last byte", UINTPTR_MAX},
			{"the end of user space", 0x7ffffffff000},
			{"before the end of user space", 0x7ffffffff000 - bytes + 1},
			{"the hole between the halves", 0x0000800000000000},
			{"the hole's other end", 0xffff7ffffffffff8},
			{"the kernel's direct map", 0xffff888000000000},
			{"the kernel's text", 0xffffffff81000000},
			{"a CPU's entry area", 0xfffffe0000001000},
			{"vsyscall", 0xffffffffff600000},
			{"a page without rights", (uintptr_t)pages(PROT_NONE)},
			{"a structure half unmapped", half(-1, bytes)},
			{"a structure half without rights", half(PROT_NONE, bytes)},
		};
		const struct place read_only[] = {
			{"a read-only page", (uintptr_t)pages(PROT_READ)},
			{"a structure half read-only", half(PROT_READ, bytes)},
		};

		snprintf(name, sizeof(name), "EFAULT: %s, in all bad places", requests[i].name);
		check(name, all_fault(fd, requests[i].code, places, sizeof(places) / sizeof(places[0])));
		if (!requests[i].writes)
			continue;
		snprintf(name, sizeof(name), "EFAULT: %s, to read-only memory", requests[i].name);
		check(name, all_fault(fd, requests[i].code, read_only, 2));
	}
}

/* Alignment does not matter, and nothing is written outside the structure. */
static void check_unaligned(int fd)
{
	unsigned char memory[sizeof(struct memphis_query) + 64];
	struct memphis_config config = shortest_config(fd);
	unsigned int shift, untouched = 0, same = 0;
	struct memphis_query query;

	need(!request(fd, MEMPHIS_IOC_QUERY, &query), "query");
	for (shift = 1; shift < 16; shift++) {
		memset(memory, 0xa5, sizeof(memory));
		need(!request(fd, MEMPHIS_IOC_QUERY, memory + shift), "query");
		same += !memcmp(memory + shift, &query, sizeof(query));
		for (size_t i = 0; i < sizeof(memory); i++)
			untouched += (i < shift || i >= shift + sizeof(query)) && memory[i] == 0xa5;
	}
	check_equal("unaligned: a query is the same", same, 15);
	check_equal("unaligned: nothing outside the structure is written", untouched, 15 * 64);
	memcpy(memory + 3, &config, sizeof(config));
	check_equal("unaligned: configure", request(fd, MEMPHIS_IOC_CONFIGURE, memory + 3), 0);
}

static void check_flags(int fd)
{
	const struct memphis_config good = shortest_config(fd);
	struct memphis_config config = good;
	struct memphis_query query;
	unsigned int bit, refused, l3_miss;

	need(!request(fd, MEMPHIS_IOC_QUERY, &query), "query");
	for (bit = 4, refused = 0; bit < 32; bit++) {
		config.drop = 1u << bit;
		refused += request(fd, MEMPHIS_IOC_CONFIGURE, &config) == EINVAL;
	}
	check_equal("EINVAL: each unknown drop", refused, 28);
	for (config = good, bit = refused = 0; bit < 32; bit++) {
		config.counters = 1u << bit;
		refused += !(query.counters & 1u << bit) &&
			   request(fd, MEMPHIS_IOC_CONFIGURE, &config) == EINVAL;
	}
	check_equal("EINVAL: each counter that is not offered", refused,
		    32 - __builtin_popcount(query.counters));
	for (config = good, bit = refused = 0; bit < 32; bit++) {
		config.events = 1u << bit;
		refused +=
			!(query.events & 1u << bit) && request(fd, MEMPHIS_IOC_CONFIGURE, &config) == EINVAL;
	}
	check_equal("EINVAL: each event that is not offered", refused, 32 - __builtin_popcount(query.events));
	/* The filter for latencies lacks a latency here. */
	l3_miss = query.hardware_filters >> MEMPHIS_HARDWARE_FILTER_L3_MISS & 1;
	for (config = good, bit = refused = 0; bit < 32; bit++) {
		config.hardware_filter = 1u << bit;
		refused += !(l3_miss && config.hardware_filter == MEMPHIS_HARDWARE_FILTER_L3_MISS) &&
			   request(fd, MEMPHIS_IOC_CONFIGURE, &config) == EINVAL;
	}
	check_equal("EINVAL: each filter of the hardware that can't be used", refused, 32 - l3_miss);
	for (config = good, bit = refused = 0; bit < 32; bit++) {
		config.count = bit;
		refused +=
			!(query.counts & 1u << bit) && request(fd, MEMPHIS_IOC_CONFIGURE, &config) == EINVAL;
	}
	check_equal("EINVAL: each count that is not offered", refused, 32 - __builtin_popcount(query.counts));
	for (bit = 5, refused = 0; bit < 32; bit++) {
		config.count = 1u << bit;
		refused += request(fd, MEMPHIS_IOC_CONFIGURE, &config) == EINVAL;
	}
	check_equal("EINVAL: each huge count", refused, 27);
	/* Ring sizes whose computation would overflow. */
	for (config = good, bit = 21, refused = 0; bit < 32; bit++) {
		config.ring_records = 1u << bit;
		config.wakeup_records = 1;
		refused += request(fd, MEMPHIS_IOC_CONFIGURE, &config) == EINVAL;
	}
	check_equal("EINVAL: each huge ring", refused, 11);
	for (config = good, bit = 28, refused = 0; bit < 64; bit++) {
		config.period = 1ULL << bit;
		refused += config.period > query.period_max &&
			   request(fd, MEMPHIS_IOC_CONFIGURE, &config) == EINVAL;
		refused +=
			config.period <= query.period_max && request(fd, MEMPHIS_IOC_CONFIGURE, &config) == 0;
	}
	check_equal("each large period is refused beyond the largest, and taken below it", refused, 36);
}

static int attach_tid(int fd, pid_t tid)
{
	struct memphis_attach attach = {.tid = tid};

	return request(fd, MEMPHIS_IOC_ATTACH, &attach);
}

static int sibling_fd;

/* Another process that shares memory and descriptors with the owner. */
static int sibling(void *results)
{
	struct memphis_attach attach = {0};
	int *result = results;

	result[0] = request(sibling_fd, MEMPHIS_IOC_ATTACH, &attach);
	result[1] = request(sibling_fd, MEMPHIS_IOC_START, NULL);
	result[2] = try_map(sibling_fd, 0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED);
	return 0;
}

static int wait_for_ever(void *unused)
{
	(void)unused;
	for (;;)
		pause();
	return 0;
}

static void pause_as(void *uid)
{
	become((unsigned int)(uintptr_t)uid);
	wait_for_ever(NULL);
}

/* In its own PID namespace, process 1 is the caller itself; processes outside have no number there. */
static void in_namespace(void *result)
{
	struct memphis_config config;
	int fd = open_device(), *results = result;

	config = shortest_config(fd);
	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	results[0] = getpid() == 1 ? attach_tid(fd, 1) : -1;
	results[1] = attach_tid(fd, 2);
	results[2] = attach_tid(fd, 100);
	close_device(fd);
}

static void check_others(int fd)
{
	static char stack[65536] __attribute__((aligned(16)));
	struct memphis_config config = shortest_config(fd);
	pid_t alice = start_child(pause_as, (void *)ALICE), bob = start_child(pause_as, (void *)BOB), other;
	struct memphis_stats stats;
	int *results = shared_memory(4096);
	unsigned int refused = 0, tid;

	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	check_equal("ESRCH: attach of another process of the user", attach_tid(fd, alice), ESRCH);
	check_equal("ESRCH: attach of another user's process", attach_tid(fd, bob), ESRCH);
	kill(alice, SIGKILL);
	kill(bob, SIGKILL);
	end_of(alice);
	end_of(bob);
	check_equal("ESRCH: attach of a process that has ended", attach_tid(fd, bob), ESRCH);
	for (tid = 1; tid < 32768; tid++)
		refused += tid != (unsigned int)getpid() && attach_tid(fd, (pid_t)tid) == ESRCH;
	check_equal("ESRCH: attach of every possible thread but one's own", refused,
		    32767 - ((unsigned int)getpid() < 32768));
	need(!request(fd, MEMPHIS_IOC_STATS, &stats), "stats");
	check("no refused attach left a trace",
	      stats.threads == 0 && stats.running == 0 && stats.ring_bytes == 0);

	sibling_fd = fd;
	other = clone(sibling, stack + sizeof(stack), CLONE_VM | CLONE_FILES | SIGCHLD, results);
	need(other > 0, "clone");
	end_of(other);
	check_equal("the same memory: attach", results[0], 0);
	check_equal("the same memory: start", results[1], 0);
	check_equal("the same memory: map", results[2], 0);
	other = clone(wait_for_ever, stack + sizeof(stack), CLONE_VM | CLONE_FILES | SIGCHLD, NULL);
	need(other > 0, "clone");
	check_equal("the same memory: attach of such a process", attach_tid(fd, other), 0);
	kill(other, SIGKILL);
	end_of(other);
	other = vfork();
	if (!other) {
		struct memphis_attach attach = {0};

		results[3] = request(fd, MEMPHIS_IOC_ATTACH, &attach);
		_exit(0);
	}
	end_of(other);
	check_equal("the same memory: attach by a vfork child", results[3], 0);

	if (!(other = fork())) {
		need(!unshare(CLONE_NEWPID), "unshare");
		_exit(end_of(start_child(in_namespace, results)));
	}
	check_equal("a process namespace: its process ends with success", end_of(other), 0);
	check_equal("a process namespace: a process has its own number there", results[0], 0);
	check_equal("ESRCH: in a process namespace, attach of a number that exists only outside", results[1],
		    ESRCH);
	check_equal("ESRCH: in a process namespace, attach of a second number that exists only outside",
		    results[2], ESRCH);
}

/* The descriptor offers only requests, maps and poll. */
static void check_calls(int fd)
{
	char byte = 0;
	int file = open("/tmp/some-file", O_RDWR | O_CREAT | O_CLOEXEC, 0600), pipes[2];
	off_t zero = 0;

	need(file >= 0 && !pipe(pipes), "files");
	check("read is refused", read(fd, &byte, 1) == -1 && errno == EINVAL);
	check("write is refused", write(fd, &byte, 1) == -1 && errno == EINVAL);
	check("sendfile is refused", sendfile(file, fd, NULL, 4096) == -1 && errno == EINVAL);
	check("splice is refused", splice(fd, NULL, pipes[1], NULL, 4096, 0) == -1 && errno == EINVAL);
	check("copy_file_range is refused", copy_file_range(fd, &zero, file, NULL, 4096, 0) == -1);
	check("lseek is refused", lseek(fd, 0, SEEK_SET) == -1 && errno == ESPIPE);
	check("ftruncate is refused", ftruncate(fd, 4096) == -1 && errno == EINVAL);
	close(file);
	close(pipes[0]);
	close(pipes[1]);
}

int main(void)
{
	int fd = open_device();

	check_pointers(fd);
	check_unaligned(fd);
	check_flags(fd);
	check_calls(fd);
	check_others(fd);
	close_device(fd);
	return 0;
}
