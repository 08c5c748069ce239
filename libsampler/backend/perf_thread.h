/* SPDX-License-Identifier: BSD-3-Clause */
/* The perf events of one thread. They are opened, enabled, read and closed together. */
#ifndef MEMPHIS_PERF_THREAD_H
#define MEMPHIS_PERF_THREAD_H

#include <poll.h>

#include <memphis/device.h>

#include "backend/perf_event.h"
#include "backend/perf_pmu.h"

struct memphis_perf_thread {
	unsigned int count;          /* number of events */
	__u32 kinds[MEMPHIS_EVENTS]; /* enum memphis_sampling_event of each event */
	__u64 sample_type;           /* sample_type of all events */
	struct memphis_perf_event events[MEMPHIS_EVENTS];
	struct memphis_perf_event leader; /* leader of the group, if the event needs one; it takes no
					   * samples */
	unsigned int read_last; /* index of the event whose record memphis_perf_thread_next() returned
				 * last */
	/* the record that memphis_perf_thread_next() returned last, or NULL */
	const struct perf_event_header *record;
};

/*
 * Opens the events that the configuration selects. They are disabled at first. The buffers of all events
 * together hold at most as many records as a ring of the configuration, but each buffer has at least one
 * page. They hold fewer if the limit of locked memory requires it. Returns 0 or -errno. After an error,
 * nothing is left open.
 */
int memphis_perf_thread_open(struct memphis_perf_thread *thread, const struct memphis_perf_pmu *pmu,
			     const struct memphis_config *config, pid_t tid);

void memphis_perf_thread_close(struct memphis_perf_thread *thread);

/* Closes the descriptors in a child process, which does not inherit the buffers. */
void memphis_perf_thread_forked(struct memphis_perf_thread *thread);

/* Enables or disables all events. Returns 0 or the first error. -EBADF: the program has closed a descriptor. */
int memphis_perf_thread_switch(const struct memphis_perf_thread *thread, bool on);

/* Adds the counts of the events to `counts`, `enabled_ns` and `starved_ns`. The added times are averages over the events. */
void memphis_perf_thread_add_counts(struct memphis_perf_thread *thread, struct memphis_stats *stats);

/* Returns the number of records that perf has lost since the last call. */
__u64 memphis_perf_thread_lost(struct memphis_perf_thread *thread);

bool memphis_perf_thread_has_ended(const struct memphis_perf_thread *thread);

/* Returns the size of all buffers. */
size_t memphis_perf_thread_bytes(const struct memphis_perf_thread *thread);

/* Fills in up to `max` descriptors to poll for records. Returns their number. */
unsigned int memphis_perf_thread_descriptors(const struct memphis_perf_thread *thread, struct pollfd *fds,
					     unsigned int max);

/*
 * These functions read, in one pass, the records that are in the buffers when memphis_perf_thread_begin() is
 * called. memphis_perf_thread_next() returns the next record and its event, or NULL after the last record. It
 * returns the samples of all events in the order of their times. Other records come first. A record is valid
 * until the next call for any thread: all threads share the memory for copies, which is safe because only the
 * drain reads records. memphis_perf_thread_end() gives
 * the space of the records back to the kernel.
 */
void memphis_perf_thread_begin(struct memphis_perf_thread *thread);
const struct perf_event_header *memphis_perf_thread_next(struct memphis_perf_thread *thread, __u32 *event);
void memphis_perf_thread_end(struct memphis_perf_thread *thread);

#endif
