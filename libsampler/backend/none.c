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
#define BUCKETS     1024 /* a program may start thousands of threads while one pass looks at them */

static MEMPHIS_AT_FORK struct memphis_lock lock;

/* Data of a thread behind the status in its second page; its first page is its control page. */
static struct entry {
	struct memphis_status status;
	pid_t tid;
	struct entry *next;
} * threads[BUCKETS], /* attached ones by tid, the latest first; protected by `lock`, like the next one */
	*spare;       /* of threads that are detached */

_Static_assert(sizeof(struct entry) <= MEMPHIS_PAGE_BYTES, "a page for each thread's ring");

static bool is_always_there(void)
{
	return true;
}

static int open_none(UNUSED pid_t process, UNUSED char *remedy, UNUSED size_t bytes)
{
	return 0;
}

static void close_none(void)
{
	size_t i;

	for (i = 0; i < BUCKETS; i++)
		if (threads[i])
			threads[i] = NULL;
	spare = NULL;
}

/* Forgets the threads of the parent, whose pages the child does not have. */
static void handle_fork(void)
{
	memphis_lock_reset(&lock);
	close_none();
}

static struct entry **find_bucket(pid_t tid)
{
	return &threads[(unsigned int)tid % BUCKETS];
}

/* Returns two pages for a thread, the second one with the entry, or NULL. */
static char *allocate_pages(void)
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

static void recycle_pages(void *control, const void *ring)
{
	struct entry *entry = (struct entry *)((char *)control + MEMPHIS_PAGE_BYTES), **link;

	(void)ring; /* the page behind */
	memphis_lock_take(&lock);
	for (link = find_bucket(entry->tid); *link && *link != entry; link = &(*link)->next)
		;
	if (*link)
		*link = entry->next;
	entry->next = spare;
	spare = entry;
	memphis_lock_release(&lock);
}

static int attach_thread(struct memphis_attach *attach)
{
	char *pages = allocate_pages();
	struct entry *entry, **bucket;

	if (!pages)
		return -ENOMEM;
	entry = (struct entry *)(pages + MEMPHIS_PAGE_BYTES);
	entry->tid = attach->tid ? attach->tid : sys_gettid();
	bucket = find_bucket(entry->tid);
	memphis_lock_take(&lock);
	entry->next = *bucket;
	*bucket = entry;
	memphis_lock_release(&lock);
	attach->control_offset = (uintptr_t)pages;
	attach->ring_offset = (uintptr_t)entry;
	attach->ring_bytes = MEMPHIS_PAGE_BYTES;
	attach->stacks_at = 0;
	return 0;
}

static int answer_request(unsigned long what, void *argument)
{
	switch (what) {
	case MEMPHIS_IOC_QUERY:
		/* Answers with the properties of IBS, so that all settings are accepted; they have no effect. */
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
		return attach_thread(argument);
	case MEMPHIS_IOC_STATS:
		memset(argument, 0, sizeof(struct memphis_stats));
		return 0;
	case MEMPHIS_IOC_CONFIGURE:
	case MEMPHIS_IOC_DETACH: /* recycle_pages() follows */
	case MEMPHIS_IOC_START:
	case MEMPHIS_IOC_STOP:
		return 0;
	}
	return -ENOTTY;
}

/* Returns the area at `offset`: the offsets that ATTACH returned are addresses, and the session's page is plain memory. */
static void *find_area(size_t bytes, UNUSED int protection, __u64 offset, int *error)
{
	void *memory = offset ? (void *)(uintptr_t)offset : sys_map(bytes);

	*error = memory ? 0 : -ENOMEM;
	return memory;
}

static struct memphis_region_log *no_log(UNUSED pid_t tid)
{
	return NULL;
}

static __u64 no_regions_left_out(void)
{
	return 0;
}

/* Finds the threads that have ended. The lock is released after each bucket, for threads that start meanwhile. */
static void find_ended_threads(void)
{
	struct entry *entry;
	size_t i;

	for (i = 0; i < BUCKETS; i++) {
		if (!__atomic_load_n(&threads[i], __ATOMIC_RELAXED))
			continue;
		memphis_lock_take(&lock);
		for (entry = threads[i]; entry; entry = entry->next)
			if (!entry->status.exited && memphis_proc_lacks_thread(entry->tid))
				__atomic_store_n(&entry->status.exited, 1, __ATOMIC_RELEASE);
		memphis_lock_release(&lock);
	}
}

static unsigned int list_no_descriptors(UNUSED struct pollfd *fds, UNUSED unsigned int max)
{
	return 0;
}

static void write_remedy(int err, char *text, size_t bytes)
{
	snprintf(text, bytes, "%s", err == ENOMEM ? "free some memory" : "see errno(3)");
}

const struct memphis_backend memphis_none = {
	.name = "none",
	.is_there = is_always_there,
	.open = open_none,
	.close = close_none,
	.forked = handle_fork,
	.request = answer_request,
	.map = find_area,
	.recycle = recycle_pages,
	.log = no_log,
	.regions_left_out = no_regions_left_out,
	.collect = find_ended_threads,
	.descriptors = list_no_descriptors,
	.remedy = write_remedy,
};
