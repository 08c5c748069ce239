/* SPDX-License-Identifier: BSD-3-Clause */
/* What happens around the samples: a thread that reads counters, and the marks of the leading thread's calipers. */
#ifndef MEMPHIS_COUNTER_H
#define MEMPHIS_COUNTER_H

#include "data/file.h"
#include "core/session.h"
#include "base/text.h"

#define MEMPHIS_COUNTER_LAST_MS 200 /* so long does a process wait for its last reading */

/* Start the thread, if anything is asked for. Without it, nothing is read; that is told in the file. */
void memphis_counters_start(struct memphis_session *session);

/* One more reading, and wait for it (at most `timeout_ms`); `last`: the thread ends then. */
void memphis_counters_read(bool last, unsigned int timeout_ms);

/* As memphis_drain_leave() and memphis_drain_return(). */
int memphis_counters_leave(unsigned int timeout_ms);
void memphis_counters_return(struct memphis_session *session);

/* In the child of a fork: there is no such thread. */
void memphis_counters_forked(void);

/* Is it the thread that reads? And how many of those are there: 0 or 1. */
pid_t memphis_counters_tid(void);

/* The region of the leading thread's outermost caliper has changed. Under the lead lock; never waits. */
void memphis_counters_note(__u32 region);

static inline void memphis_counter_mark(const struct memphis_session *session, __u32 region)
{
	if (unlikely(atomic_load_explicit(&session->counters, memory_order_relaxed)))
		memphis_counters_note(region);
}

/* For the drain: what is there by now; and, after the regions that it may name, write as much. */
void memphis_counters_look(void);
void memphis_counters_write(struct memphis_text *text, struct memphis_file *file);

/* What is missing, as lines of LOSSES by `add`. */
struct memphis_counters_losses {
	__u64 values_left_out, marks_left_out, metrics_left_out, metrics_refused, readings_late;
};
struct memphis_counters_losses memphis_counters_losses(void);

#endif
