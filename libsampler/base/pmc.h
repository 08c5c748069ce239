/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hardware counters of the calling thread: cycles, instructions and further events in user mode. There are
 * two ways to read them:
 * - The kernel counts them as perf events. The thread reads them without a system call, with the instruction
 *   RDPMC and the page that the kernel maps for each event (perf_event_open(2)).
 * - Where perf is forbidden, the thread makes a request to the module, which takes one to two microseconds.
 */
#ifndef MEMPHIS_PMC_H
#define MEMPHIS_PMC_H

#include <linux/perf_event.h>

#include <memphis/device.h>

#include "base/sys.h"

#define MEMPHIS_PMC_BYTES 4096 /* size of the page of an event, which has no ring */

/* The open counters of a thread; all zeros: none. */
struct memphis_pmc {
	bool open;
	unsigned int count; /* number of counters */
	/* NULL: memphis_pmc_request() reads the counters. */
	const struct perf_event_mmap_page *pages[MEMPHIS_COUNTERS_MAX];
};

/* Reads the counters of the calling thread through the module. Returns 0 or -errno. NULL: the module offers no counters. */
extern int (*memphis_pmc_request)(__u64 values[MEMPHIS_COUNTERS_MAX]);

/* The events that are counted in addition to cycles and instructions. Must be set before counters are opened. */
extern struct memphis_counter_event memphis_pmc_events[MEMPHIS_COUNTER_EVENTS_MAX];
extern unsigned int memphis_pmc_event_count;

/*
 * Tests whether the CPU can count the counters and `beside_count` raw events at the same time, by opening all
 * of them briefly. Returns 0, -ENOSPC if the CPU can't count them all at the same time, or another -errno if
 * perf refuses an event even alone (the last of memphis_pmc_events).
 */
int memphis_pmc_test_events(const struct memphis_counter_event *beside, unsigned int beside_count);

/* Returns true if perf lets this process count. */
bool memphis_pmc_is_allowed(void);

/*
 * Opens the counters for the calling thread. Returns 0 or -errno:
 * - -ENOENT: there are no such counters
 * - -EACCES, -EPERM: not allowed
 * - -EOPNOTSUPP: the kernel does not let user mode read them
 * - -ESRCH: the module does not count this thread yet
 */
int memphis_pmc_open(struct memphis_pmc *pmc);

/* Closes the counters, which must no longer be read. Any thread may call it. */
void memphis_pmc_close(struct memphis_pmc *pmc);

/* Returns true if other events have used these counters at times, so the values are too low. Any thread may call it. */
bool memphis_pmc_is_shared(const struct memphis_pmc *pmc);

/* Tests define their own macro. */
#ifndef MEMPHIS_RDPMC
#define MEMPHIS_RDPMC(number) ((__u64)__builtin_ia32_rdpmc((int)(number)))
#endif

/* Returns the number of events so far. If the kernel has taken the counter away, returns the number at that moment. */
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
	 * A count can't be negative. On Linux 6.12 (AMD), a value that was too low by 2^pmc_width was seen
	 * right after the page was mapped. The likely cause: the kernel has read the counter earlier, and
	 * publishes an offset for a value without sign extension.
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
