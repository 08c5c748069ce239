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

#define THREADS_MAX 0xffffffffu

static struct memphis_lock lock;

/* Behind the status in a thread's second page; the first one is its control page. `spare`: of threads that have ended. */
static struct entry {
	struct memphis_status status;
	pid_t tid;
	struct entry *next;
} * threads, *spare;

_Static_assert(sizeof(struct entry) <= MEMPHIS_PAGE_BYTES, "a page for each thread's ring");

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
	threads = spare = NULL;
}

/* The threads are those of the parent, whose pages the child does not have. */
static void forked(void)
{
	memphis_lock_reset(&lock);
	threads = spare = NULL;
}

/* Returns two pages for a thread, the second one with the entry, or NULL. */
static char *take_pages(void)
{
	struct entry *entry;
	char *pages;

	memphis_lock_take(&lock);
	entry = spare;
	if (entry)
		spare = entry->next;
	memphis_lock_release(&lock);
	if (!entry)
		return sys_map(2 * MEMPHIS_PAGE_BYTES);
	pages = (char *)entry - MEMPHIS_PAGE_BYTES;
	memset(pages, 0, sizeof(struct memphis_control));
	memset(entry, 0, sizeof(*entry));
	return pages;
}

static void recycle(void *control, const void *ring)
{
	struct entry *entry = (struct entry *)((char *)control + MEMPHIS_PAGE_BYTES);

	(void)ring; /* the page behind */
	memphis_lock_take(&lock);
	entry->next = spare;
	spare = entry;
	memphis_lock_release(&lock);
}

static int attach(struct memphis_attach *attach)
{
	char *pages = take_pages();
	struct entry *entry;

	if (!pages)
		return -ENOMEM;
	entry = (struct entry *)(pages + MEMPHIS_PAGE_BYTES);
	entry->tid = attach->tid ? attach->tid : sys_gettid();
	memphis_lock_take(&lock);
	entry->next = threads;
	threads = entry;
	memphis_lock_release(&lock);
	attach->control_offset = (uintptr_t)pages;
	attach->ring_offset = (uintptr_t)entry;
	attach->ring_bytes = MEMPHIS_PAGE_BYTES;
	attach->stacks_at = 0;
	return 0;
}

/* A thread that has ended is no longer in the list; if there was one with the same tid, it is not this one. */
static void detach(pid_t tid)
{
	struct entry **link;

	memphis_lock_take(&lock);
	for (link = &threads; *link && (*link)->tid != tid; link = &(*link)->next)
		;
	if (*link)
		*link = (*link)->next;
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
					       .threads_max = THREADS_MAX,
					       .pmu = "no samples",
					       .hardware_filters = 1};
		return 0;
	case MEMPHIS_IOC_ATTACH:
		return attach(argument);
	case MEMPHIS_IOC_DETACH: /* of a running thread */
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

/* The offsets that ATTACH returned are addresses; the session's page is plain memory. */
static void *map(size_t bytes, int protection, __u64 offset, int *error)
{
	void *memory = offset ? (void *)(uintptr_t)offset : sys_map(bytes);

	(void)protection;
	*error = memory ? 0 : -ENOMEM;
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

/* Finds the threads that have ended, whose pages are given back from then on. */
static void collect(void)
{
	struct entry **link = &threads, *entry;

	memphis_lock_take(&lock);
	while ((entry = *link)) {
		if (memphis_proc_lacks_thread(entry->tid)) {
			*link = entry->next;
			__atomic_store_n(&entry->status.exited, 1, __ATOMIC_RELEASE);
		} else {
			link = &entry->next;
		}
	}
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
	snprintf(text, bytes, "%s", err == ENOMEM ? "free some memory" : "see errno(3)");
}

const struct memphis_backend memphis_none = {
	.name = "none",
	.is_there = is_there,
	.open = open_none,
	.close = close_none,
	.forked = forked,
	.request = request,
	.map = map,
	.recycle = recycle,
	.log = no_log,
	.regions_left_out = no_regions_left_out,
	.collect = collect,
	.descriptors = descriptors,
	.remedy = remedy,
};
