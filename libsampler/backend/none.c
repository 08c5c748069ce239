/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A backend that takes no samples, on request: times of regions, counters and calls of MPI are recorded as with the others. It answers the
 * device's requests; a thread's ring is a page that stays empty.
 */
#include <stdio.h>
#include <string.h>

#include "base/proc.h"
#include "backend/backend.h"
#include "base/lock.h"

#define THREADS 4096

static struct memphis_lock lock;
static struct {
	pid_t tid;                     /* 0: free entry */
	struct memphis_status *status; /* mapped by the library; NULL: not yet */
} threads[THREADS];

/* The areas that ATTACH returns: the control page of entry i, and its ring, follow the session's page. */
#define CONTROL(i) ((__u64)MEMPHIS_PAGE_BYTES * (2 * (__u64)(i) + 1))
#define RING(i)    (CONTROL(i) + MEMPHIS_PAGE_BYTES)

static bool is_there(void)
{
	return true;
}

static int open_none(pid_t process, char *remedy, size_t bytes)
{
	(void)process;
	(void)remedy;
	(void)bytes;
	return 0;
}

static void close_none(void)
{
	memset(threads, 0, sizeof(threads));
}

/* The threads are those of the parent, whose pages the child does not have. */
static void forked(void)
{
	memphis_lock_reset(&lock);
	memset(threads, 0, sizeof(threads));
}

/* Returns the entry of the thread; with tid 0, a free one; THREADS if there is none. */
static size_t find(pid_t tid)
{
	size_t i;

	for (i = 0; i < THREADS && threads[i].tid != tid; i++)
		;
	return i;
}

static int attach(struct memphis_attach *attach)
{
	const pid_t tid = attach->tid ? attach->tid : sys_gettid();
	size_t i;

	memphis_lock_take(&lock);
	i = find(0);
	if (i < THREADS)
		threads[i].tid = tid;
	memphis_lock_release(&lock);
	if (i == THREADS)
		return -ENOSPC;
	attach->control_offset = CONTROL(i);
	attach->ring_offset = RING(i);
	attach->ring_bytes = MEMPHIS_PAGE_BYTES;
	attach->stacks_at = 0;
	return 0;
}

static void detach(pid_t tid)
{
	size_t i;

	memphis_lock_take(&lock);
	i = find(tid);
	if (i < THREADS) {
		threads[i].tid = 0;
		threads[i].status = NULL;
	}
	memphis_lock_release(&lock);
}

static int request(unsigned long what, void *argument)
{
	switch (what) {
	case MEMPHIS_IOC_QUERY:
		/* The properties of IBS, so that all settings are accepted; they have no effect. */
		*(struct memphis_query *)argument =
			(struct memphis_query){.abi = MEMPHIS_ABI,
					       .hardware = MEMPHIS_HARDWARE_IBS,
					       .sampler = MEMPHIS_SAMPLER_TASK,
					       .counts = 1u << MEMPHIS_COUNT_OPS,
					       .events = 1u << MEMPHIS_EVENT_ACCESS,
					       .drops = MEMPHIS_DROPS,
					       .period_min = 16,
					       .period_max = 1u << 30,
					       .period_step = 16,
					       .ring_records_max = 1u << 20,
					       .threads_max = THREADS,
					       .pmu = "no samples",
					       .hardware_filters = 1};
		return 0;
	case MEMPHIS_IOC_ATTACH:
		return attach(argument);
	case MEMPHIS_IOC_DETACH:
		detach(*(const pid_t *)argument);
		return 0;
	case MEMPHIS_IOC_STATS:
		memset(argument, 0, sizeof(struct memphis_stats));
		return 0;
	case MEMPHIS_IOC_CONFIGURE:
	case MEMPHIS_IOC_START:
	case MEMPHIS_IOC_STOP:
		return 0;
	}
	return -ENOTTY;
}

static void *map(size_t bytes, int protection, __u64 offset, int *error)
{
	void *memory = sys_map(bytes);
	size_t i;

	(void)protection;
	*error = memory ? 0 : -ENOMEM;
	memphis_lock_take(&lock);
	for (i = 0; memory && i < THREADS; i++)
		if (threads[i].tid && offset == RING(i))
			threads[i].status = memory;
	memphis_lock_release(&lock);
	return memory;
}

static struct memphis_region_log *no_log(pid_t tid)
{
	(void)tid;
	return NULL;
}

static __u64 no_regions_left_out(void)
{
	return 0;
}

/* Finds the threads that have ended. */
static void collect(void)
{
	size_t i;

	memphis_lock_take(&lock);
	for (i = 0; i < THREADS; i++)
		if (threads[i].status && !threads[i].status->exited && memphis_proc_lacks_thread(threads[i].tid))
			__atomic_store_n(&threads[i].status->exited, 1, __ATOMIC_RELEASE);
	memphis_lock_release(&lock);
}

static unsigned int descriptors(struct pollfd *fds, unsigned int max)
{
	(void)fds;
	(void)max;
	return 0;
}

static void remedy(int err, char *text, size_t bytes)
{
	snprintf(text, bytes, "%s",
		 err == ENOSPC ? "more threads than one session may have" : "see errno(3)");
}

const struct memphis_backend memphis_none = {
	.name = "none",
	.is_there = is_there,
	.open = open_none,
	.close = close_none,
	.forked = forked,
	.request = request,
	.map = map,
	.log = no_log,
	.regions_left_out = no_regions_left_out,
	.collect = collect,
	.descriptors = descriptors,
	.remedy = remedy,
};
