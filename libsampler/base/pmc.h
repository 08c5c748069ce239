/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters of the CPU for the calling thread: cycles, instructions and further events in user mode. The kernel counts them as perf events; the thread reads
 * them without a system call, by the instruction RDPMC and the page that the kernel maps for each event (perf_event_open(2)); or, where
 * perf is forbidden, by a request to the module, which takes one to two microseconds.
 */
#ifndef MEMPHIS_PMC_H
#define MEMPHIS_PMC_H

#include <linux/perf_event.h>

#include <memphis/device.h>

#include "base/sys.h"

#define MEMPHIS_PMC_BYTES 4096 /* size of the page of an event, which has no ring */

/* The counters that are open for a thread; all zeros: none are. */
struct memphis_pmc {
	bool open;
	unsigned int count; /* number of counters */
	/* NULL: memphis_pmc_request() reads the counters. */
	const struct perf_event_mmap_page *pages[MEMPHIS_COUNTERS_MAX];
};

/* Reads the counters of the calling thread through the module. Returns 0 or -errno. NULL: the module offers none. */
extern int (*memphis_pmc_request)(__u64 values[MEMPHIS_COUNTERS_MAX]);

/* The events that are counted beside cycles and instructions. Set before counters are opened. */
extern struct memphis_counter_event memphis_pmc_events[MEMPHIS_COUNTER_EVENTS_MAX];
extern unsigned int memphis_pmc_event_count;

/*
 * Opens the counters and `beside_count` raw events for a moment, and counts. Returns 0; -ENOSPC: the CPU can't count them all at the same
 * time; or -errno of the last of memphis_pmc_events, which perf does not even accept alone.
 */
int memphis_pmc_try(const struct memphis_counter_event *beside, unsigned int beside_count);

/* Returns true if perf lets this process count. */
bool memphis_pmc_is_allowed(void);

/*
 * Opens the counters for the calling thread. Returns 0, or -errno: -ENOENT: there are no such counters; -EACCES, -EPERM: not allowed;
 * -EOPNOTSUPP: the kernel does not let user mode read them; -ESRCH: the module does not count this thread yet.
 */
int memphis_pmc_open(struct memphis_pmc *pmc);

/* May be called by any thread, when the counters are no longer read. */
void memphis_pmc_close(struct memphis_pmc *pmc);

/* Returns true if other events have taken the counters from these at times, so that the values are too low. May be called by any thread. */
bool memphis_pmc_is_shared(const struct memphis_pmc *pmc);

/* Tests define a macro of their own. */
#ifndef MEMPHIS_RDPMC
#define MEMPHIS_RDPMC(number) ((__u64)__builtin_ia32_rdpmc((int)(number)))
#endif

/* Returns the number of events so far. While the kernel has taken the counter away, this is the number at that moment. */
static inline __u64 memphis_pmc_read(const struct perf_event_mmap_page *page)
{
	__u32 lock, index;
	__u64 value;
	int shift = 0;

	do {
		lock = __atomic_load_n(&page->lock, __ATOMIC_ACQUIRE);
		value = (__u64)__atomic_load_n(&page->offset, __ATOMIC_ACQUIRE);
		index = __atomic_load_n(&page->index, __ATOMIC_ACQUIRE);
		if (likely(index)) {
			/* The counter has pmc_width bits, and the kernel may have set it to a negative value. */
			shift = 64 - page->pmc_width;
			value += (__u64)((__s64)(MEMPHIS_RDPMC(index - 1) << shift) >> shift);
		}
	} while (unlikely(__atomic_load_n(&page->lock, __ATOMIC_ACQUIRE) != lock));
	/*
	 * No count is negative. On 6.12 (AMD), a value was seen that was too low by 2^pmc_width right after the page was mapped. The likely
	 * cause is that the kernel has read the counter before, and publishes an offset for a value that is not extended by its sign.
	 */
	if (unlikely((__s64)value < 0) && shift > 0)
		value += 1ULL << (64 - shift);
	return value;
}

/* Reads all counters. Returns 0, or -errno if the module can't count any more. */
static inline int memphis_pmc_values(const struct memphis_pmc *pmc, __u64 values[MEMPHIS_COUNTERS_MAX])
{
	unsigned int i;

	if (unlikely(!pmc->pages[0]))
		return memphis_pmc_request(values);
	for (i = 0; i < pmc->count; i++)
		values[i] = memphis_pmc_read(pmc->pages[i]);
	return 0;
}

#endif
