// SPDX-License-Identifier: BSD-3-Clause
/*
 * perf uses the sampling hardware at the same time: which side gets the hardware, and what each side reports.
 * usage: rival task|cpu
 */
#define _GNU_SOURCE
#include "node.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BYTES      (1u << 20)
#define LOADS      300000u
#define RING_PAGES 64u

static int sampler;
static uint64_t *buffer;

struct rival {
	int fd;
	struct perf_event_mmap_page *ring;
};

struct times {
	uint64_t value, enabled, running;
};

/*
 * Opens an event for this thread (0) or for CPU 0 (-1), disabled at first so that no sample precedes its
 * ring. Returns 0 or an errno.
 */
static int open_rival(struct rival *rival, pid_t pid, bool pinned)
{
	struct perf_event_attr attr = {
		.type = (uint32_t)read_number("/sys/bus/event_source/devices/ibs_op/type"),
		.size = sizeof(attr),
		.config = 1 << 19, /* micro-ops */
		.sample_period = 16384,
		.sample_type = PERF_SAMPLE_IP,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.pinned = pinned,
		.disabled = 1,
	};

	rival->fd = (int)syscall(SYS_perf_event_open, &attr, pid, pid ? 0 : -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (rival->fd < 0)
		return errno;
	rival->ring = mmap(NULL, (RING_PAGES + 1) * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, rival->fd, 0);
	need(rival->ring != MAP_FAILED, "map of perf's ring");
	return 0;
}

static void switch_rival(const struct rival *rival, bool on)
{
	need(!ioctl(rival->fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0),
	     "switch of perf's event");
}

static struct times times_of(const struct rival *rival)
{
	struct times times = {0};

	need(read(rival->fd, &times, sizeof(times)) == sizeof(times), "read of perf's event");
	return times;
}

/* Counts the sample records; none may have been lost, or the count would be too low. */
static uint64_t samples_of(const struct rival *rival)
{
	const char *data = (const char *)rival->ring + 4096;
	uint64_t head = __atomic_load_n(&rival->ring->data_head, __ATOMIC_ACQUIRE), at = 0, samples = 0;

	need(head <= RING_PAGES * 4096, "perf's ring holds all");
	while (at < head) {
		const struct perf_event_header *record = (const void *)(data + at);

		samples += record->type == PERF_RECORD_SAMPLE;
		at += record->size;
	}
	return samples;
}

static void close_rival(struct rival *rival)
{
	munmap(rival->ring, (RING_PAGES + 1) * 4096);
	close(rival->fd);
}

struct contest {
	const char *name;
	int sampler; /* 0: both */
	pid_t pid;
	bool pinned;
	bool turns;        /* perf alternates the two; if false, Memphis gets nothing */
	bool same_context; /* perf uses one clock for both */
};

static void check_named(const struct contest *contest, const char *what, bool holds)
{
	char text[128];

	snprintf(text, sizeof(text), "%s: %s", contest->name, what);
	check(text, holds);
}

/* Runs on CPU 0 throughout: alone, with the rival, alone again. */
static void contend(const struct contest *contest)
{
	struct memphis_config config = some_config();
	struct memphis_stats before, during, left, after;
	struct memphis_accounting accounting;
	struct rival rival = {0};
	struct thread_map map;
	struct times times;
	struct tally all;
	uint64_t begin, elapsed, interrupts, ours, theirs;
	unsigned int rounds;
	int fd = open_session(&config);

	errno = open_rival(&rival, contest->pid, contest->pinned);
	need(!errno, "perf_event_open");
	map = attach_mapped(fd, 0, &config);
	all = tally(fd);
	start(fd);
	walk(buffer, BYTES, LOADS);
	begin = now_ns();
	before = read_stats(fd);
	check_named(contest, "nothing is starved before", before.enabled_ns > 0 && before.starved_ns == 0);

	switch_rival(&rival, true);
	interrupts = read_books(&map).interrupts;
	for (rounds = 0, ours = 0; rounds < 10 || (contest->turns && (!ours || !samples_of(&rival)));
	     rounds++) {
		walk(buffer, BYTES, LOADS);
		ours = read_books(&map).interrupts - interrupts;
	}
	switch_rival(&rival, false);
	during = read_stats(fd);
	times = times_of(&rival);
	elapsed = now_ns() - begin;
	theirs = samples_of(&rival);
	during.enabled_ns -= before.enabled_ns;
	printf("# %s: %lu ns, of %llu starved %llu, %lu interrupts; perf: of %lu had %lu, %lu samples\n",
	       contest->name, elapsed, during.enabled_ns, during.starved_ns, ours, times.enabled,
	       times.running, theirs);
	check_named(contest, "perf gets samples", theirs > 0);
	if (contest->turns) {
		check_named(contest, "our session reports that it had a part of the time",
			    during.starved_ns > 0 && during.starved_ns < during.enabled_ns);
		check_named(contest, "perf reports that it had a part of the time",
			    times.running > 0 && times.running < times.enabled);
	} else {
		check_named(contest, "our session gets no interrupts", ours == 0);
		check_named(contest, "our session reports that it was starved", during.starved_ns > 0);
		check_named(contest, "perf reports that it had all the time",
			    times.running > 0 && times.running == times.enabled);
	}
	if (contest->same_context)
		check_named(contest, "our session was starved for at least the time that perf had",
			    during.starved_ns >= times.running);
	/*
	 * The per-CPU sampler has no rival on the other three CPUs. perf reads the clocks of the two events one after the other
	 * when it exchanges them, and the host may run something else in between; time that both counted would double the sum.
	 */
	check_named(contest, "both together had no more time than there was",
		    during.enabled_ns - during.starved_ns + times.running <=
			    elapsed * (sampler == MEMPHIS_SAMPLER_CPU ? 4 : 1) * 11 / 10);

	/* The hardware is returned at the next task switch, or the next time that perf alternates events of a CPU (every 4 ms). */
	usleep(20000);
	left = read_stats(fd);
	interrupts = read_books(&map).interrupts;
	walk(buffer, BYTES, LOADS);
	after = read_stats(fd);
	stop(fd);
	accounting = read_books(&map);
	check_named(contest, "our session gets interrupts again after perf has left",
		    accounting.interrupts > interrupts);
	check_named(contest, "our session is not starved after perf has left",
		    after.starved_ns == left.starved_ns);
	check_named(contest, "the accounting balances", books_sum(&accounting) == accounting.interrupts);
	check_named(contest, "our samples and perf's together are all that the machine delivered",
		    accounting.interrupts + theirs == delivered_since(fd, all));
	close_rival(&rival);
	unmap(&map);
	close_device(fd);
}

/*
 * The rival is first. The per-CPU sampler then gets EBUSY (../device/requests.c); per task, Memphis's event waits
 * for its turn.
 */
static void come_second(void)
{
	struct memphis_config config = some_config();
	struct memphis_stats stats;
	struct thread_map map;
	struct rival rival = {0};
	int fd = open_session(&config);

	errno = open_rival(&rival, -1, true);
	need(!errno, "perf_event_open");
	switch_rival(&rival, true);
	map = attach_mapped(fd, 0, &config);
	check_equal("perf pinned to the CPU first: start", request(fd, MEMPHIS_IOC_START, NULL), 0);
	walk(buffer, BYTES, LOADS);
	stats = read_stats(fd);
	check_equal("perf pinned to the CPU first: our session gets no interrupts",
		    read_books(&map).interrupts, 0);
	check("perf pinned to the CPU first: some time is starved", stats.starved_ns > 0);
	check_equal("perf pinned to the CPU first: the enabled time is all starved", stats.starved_ns,
		    stats.enabled_ns);
	close_rival(&rival);
	usleep(1000);
	walk(buffer, BYTES, LOADS);
	check("perf pinned to the CPU first: our session gets interrupts after perf has left",
	      read_books(&map).interrupts > 0);
	unmap(&map);
	close_device(fd);
}

/* The times remain after sampling has stopped and after the thread is detached. */
static void check_memory(void)
{
	struct memphis_config config = some_config();
	struct memphis_stats before, after;
	struct thread_map map;
	int32_t tid = 0;
	int fd = open_session(&config);

	map = attach_mapped(fd, 0, &config);
	start(fd);
	walk(buffer, BYTES, LOADS);
	stop(fd);
	before = read_stats(fd);
	walk(buffer, BYTES, LOADS);
	after = read_stats(fd);
	check("stopped: the times do not change",
	      before.enabled_ns > 0 && after.enabled_ns == before.enabled_ns);
	need(!request(fd, MEMPHIS_IOC_DETACH, &tid), "detach");
	after = read_stats(fd);
	check_equal("detached: the times are kept", after.enabled_ns, before.enabled_ns);
	check_equal("alone: nothing is starved", after.starved_ns, 0);
	unmap(&map);
	close_device(fd);
}

int main(int argc, char **argv)
{
	static const struct contest contests[] = {
		{"perf pinned to the CPU", 0, -1, true, false, false},
		{"perf on the CPU", MEMPHIS_SAMPLER_CPU, -1, false, true, true},
		{"perf on the CPU", MEMPHIS_SAMPLER_TASK, -1, false, false, false},
		{"perf pinned to the task", MEMPHIS_SAMPLER_TASK, 0, true, false, true},
		{"perf on the task", MEMPHIS_SAMPLER_TASK, 0, false, true, true},
	};
	struct rival rival;

	need(argc == 2, "usage: rival task|cpu");
	sampler = expected_sampler(argv[1]);
	buffer = buffer_on(0, BYTES);
	check_memory();
	for (size_t i = 0; i < sizeof(contests) / sizeof(contests[0]); i++)
		if (!contests[i].sampler || contests[i].sampler == sampler)
			contend(&contests[i]);
	if (sampler == MEMPHIS_SAMPLER_TASK)
		come_second();
	else
		check_equal("perf on the task: EINVAL, as without Memphis", open_rival(&rival, 0, false),
			    EINVAL);
	return 0;
}
