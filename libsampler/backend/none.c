/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A backend that takes no samples, on request. Times of regions, counters and calls of MPI are recorded as
 * with other backends. It answers the device's requests. A thread's ring is one page without samples.
 */
#include <stdio.h>
#include <string.h>

#include "base/proc.h"
#include "backend/backend.h"
#include "base/lock.h"

#define THREADS_MAX 0xffffffffu
#define BUCKETS     1024 /* a program may start thousands of threads during one pass */

static MEMPHIS_AT_FORK struct memphis_lock lock;

/*
 * Data of a thread. Each thread has two pages: the first one is its control page, the second one contains
 * this entry, which begins with its status.
 */
static struct entry {
	struct memphis_status status;
	pid_t tid;
	struct entry *next;
} * threads[BUCKETS], /* attached threads by tid, the latest first; `lock` protects this array and `spare` */
	*spare;       /* entries of detached threads */

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

/* Called in the child after fork(). Forgets the threads of the parent, whose memory pages the child does not have. */
static void handle_fork(void)
{
	memphis_lock_reset(&lock);
	close_none();
}

static struct entry **find_bucket(pid_t tid)
{
	return &threads[(unsigned int)tid % BUCKETS];
}

/* Returns two pages for a thread, or NULL. The second page contains the entry. */
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

	(void)ring; /* is the second page */
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
		/* Answer with the properties of IBS, so that all settings are accepted. They have no effect. */
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
	case MEMPHIS_IOC_DETACH: /* recycle_pages() is called next */
	case MEMPHIS_IOC_START:
	case MEMPHIS_IOC_STOP:
		return 0;
	}
	return -ENOTTY;
}

/* Returns the area at `offset`. An offset from ATTACH is an address. The session's page (offset 0) is new memory. */
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

/* Finds the threads that have ended. Releases the lock after each bucket, for threads that start during the search. */
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
