/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The companion that reads the sources of counters at intervals and at caliper boundaries, and the marks for
 * the calipers of the leading thread.
 */
#ifndef MEMPHIS_COUNTERS_READER_H
#define MEMPHIS_COUNTERS_READER_H

#include "data/file.h"
#include "core/session.h"
#include "core/thread.h"
#include "base/text.h"

/* maximum time that an ending process waits for the last reading */
#define MEMPHIS_COUNTER_LAST_MS 200

/* Starts the companion if MEMPHIS_COUNTERS requests counters. A failure is recorded in the losses of the process file. */
void memphis_counters_start(struct memphis_session *session);

/* Requests a reading, and waits for it up to `timeout_ms`. `last`: the companion ends after this reading. */
void memphis_counters_read(bool last, unsigned int timeout_ms);

/* Fork handler of the child. Resets all state, because the child has no companion. */
void memphis_counters_forked(void);

/* Records a change of the leading thread's region. The caller holds the lead lock. Does not block. */
void memphis_counters_note(__u32 region);

/* Counts a change that could not be recorded. */
void memphis_counters_note_lost(void);

/* Returns the region of the thread's innermost caliper that is marked. Returns 0 if `thread` is NULL or has no open caliper. */
static inline __u32 memphis_counter_region(const struct memphis_session *session,
					   const struct memphis_thread_record *thread)
{
	const __u32 counters = (__u32)atomic_load_explicit(&session->lead.counters, memory_order_relaxed);
	const __u32 marked = counters ? counters : 1; /* 0: the reading of counters is about to end */
	const __u32 depth = thread ? __atomic_load_n(&thread->depth, __ATOMIC_RELAXED) : 0;
	const struct memphis_region_node *region =
		depth ? thread->open[(depth < marked ? depth : marked) - 1] : NULL;

	return region ? region->id : 0;
}

/* Records the region of `thread`, which is the leading thread, if counters are read. The caller holds the lead lock. */
static inline void memphis_counter_mark(const struct memphis_session *session,
					const struct memphis_thread_record *thread)
{
	if (unlikely(atomic_load_explicit(&session->lead.counters, memory_order_relaxed)))
		memphis_counters_note(memphis_counter_region(session, thread));
}

/*
 * Called by the drain. memphis_counters_take_snapshot() stores how many values and marks exist.
 * memphis_counters_write() later writes these values and marks. The drain writes the regions in between, so
 * that the file contains every region to which a mark refers.
 */
void memphis_counters_take_snapshot(void);
void memphis_counters_write(struct memphis_text_buffer *text, struct memphis_sample_file *file);

/* Numbers of items that are missing in the file, for its LOSSES chunk. */
struct memphis_counters_losses {
	__u64 values_left_out, marks_left_out, metrics_left_out, metrics_refused, readings_late;
};
struct memphis_counters_losses memphis_counters_losses(void);

#endif
