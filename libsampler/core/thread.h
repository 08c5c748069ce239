/* SPDX-License-Identifier: BSD-3-Clause */
/* Per-thread records, and the list of all records. */
#ifndef MEMPHIS_THREAD_H
#define MEMPHIS_THREAD_H

#include <stdatomic.h>
#include <stdbool.h>

#include <memphis/device.h>

#include "base/busy.h"
#include "data/events.h"
#include "data/file.h"
#include "data/mpi_records.h"
#include "unwind/stack.h"
#include "data/region.h"
#include "data/region_log.h"
#include "data/region_times.h"
#include "data/spans.h"
#include "core/tls.h"
#include "data/withheld.h"

/* open calipers per thread; deeper ones are counted but not stored */
#define MEMPHIS_CALIPERS_MAX 128
#define MEMPHIS_REGION_CACHE 64
#define MEMPHIS_IO_REGIONS   8

/* Where a caliper was opened. Used to detect calipers that the program has left without ending them (api/caliper.c). */
struct memphis_opened {
	const void *site; /* return address of the opening call; NULL: unknown */
	__u64 frame;      /* CFA of the function that the opening call entered, ORed with MEMPHIS_OUTLIVES */
};

/*
 * The caliper outlives the stack frame that opened it. The evidence: while it was open, another caliper was
 * opened or closed in an outer frame.
 */
#define MEMPHIS_OUTLIVES 1
#define MEMPHIS_FRAME    (~(__u64)MEMPHIS_OUTLIVES)

/* regions per thread for which a late end of a caliper is recognised */
#define MEMPHIS_CALIPERS_LEFT 16

/*
 * Number of a region's calipers that the library closed because their end was missing. If an end arrives
 * later, closing them was wrong.
 */
struct memphis_left {
	const struct memphis_region_node *region;
	__u32 count;
};

/* Numbers of events that were not recorded. */
struct memphis_left_out {
	_Atomic __u64 allocations, releases, small;
};

enum memphis_attach_state {
	MEMPHIS_UNATTACHED = 0,
	MEMPHIS_ATTACH_WAITS, /* the backend has no room; the thread itself tries again later */
	MEMPHIS_ATTACHED,
	MEMPHIS_ATTACH_FAILED
};

struct memphis_thread_record {
	/* State of the calipers. Used by the thread itself, except the atomic members. */
	_Atomic(struct memphis_control *) control; /* control page of the backend, or `own_page` if there
						    * is none */
	/* The session's control page while this thread is the leader, otherwise `own_page`. */
	_Atomic(struct memphis_control *) lead;
	__u32 depth;
	struct memphis_region_node *open[MEMPHIS_CALIPERS_MAX];
	struct memphis_opened opened[MEMPHIS_CALIPERS_MAX];
	struct memphis_left left[MEMPHIS_CALIPERS_LEFT];
	/* true: an end arrived late, so the library no longer closes calipers whose end is missing */
	bool leaves_none;
	/* Caches of the regions of calipers and of I/O functions. Each entry is one pointer, so that signal handlers can change it. */
	struct memphis_region_node *known[MEMPHIS_REGION_CACHE];
	struct memphis_region_node *io_regions[MEMPHIS_IO_REGIONS];
	struct memphis_control own_page;          /* contains the region while there is no control page of
						   * the backend */
	_Atomic(struct memphis_region_log *) log; /* log of changes of the region, for perf; NULL: not
						   * needed */
	struct memphis_region_clock times;
	struct memphis_spans spans;
	struct memphis_mpi_sums mpi;
	struct memphis_mpi_events mpi_events;

	/*
	 * Used by the thread itself. True: the bounds of the thread's stack were looked up, and the
	 * destructor that detects the thread's end is registered.
	 */
	bool complete;

	/* Allocation events and their stacks: written by the thread, read by the drain. */
	struct memphis_events events;
	struct memphis_stacks stacks;
	struct memphis_left_out left_out;
	struct memphis_withheld withheld; /* used by the drain */

	/* These are set before the record is added to the list. */
	pid_t tid;
	__u64 start_ns;
	_Atomic int owned; /* a running or ended thread refers to this record by its memphis_self */
	_Atomic int ended; /* the thread will record no more events */

	/* These are set by the thread itself, once they are known. */
	int openmp;         /* thread number in its OpenMP team, plus 1; 0: unknown */
	char last_name[16]; /* name of the thread when it ended */

	struct memphis_tls tls;
	struct memphis_frames *frames; /* stack frames of the outermost calipers */

	/* Attachment to the backend; protected by the session's lock. */
	enum memphis_attach_state attachment;
	int attach_error;
	struct memphis_control *page;
	const struct memphis_status *status; /* set last: when it is not NULL, the drain may use the ring */
	size_t ring_bytes;
	size_t stacks_at; /* offset of the ring of stacks from `status`; 0: there is none */

	/* Used by the drain. */
	__u64 tail, touched,
		head; /* ring positions at the last snapshot: drained, examined and filled up to here */
	__u64 stack_tail, stack_head;         /* the drained and the filled position of the ring of stacks */
	struct memphis_stacks chains;         /* callers of samples */
	struct memphis_stacks in_frames;      /* stack frames that contain the data of samples */
	struct memphis_accounting accounting; /* at the last snapshot */
	struct memphis_accounting accounting_written;
	__u64 written_ns;
	struct memphis_sample_file file;
	int has_file;
	bool finished;          /* the thread has ended and its file is finished */
	struct memphis_fd comm; /* /proc/PID/task/TID/comm, the name of the thread */
	/* What the THREAD chunks contain so far. */
	int facts_written; /* the start time and other facts that do not change */
	int stack_written; /* the bounds of the stack */
	int openmp_written;
	char name_written[16];
	__u64 named_ns;   /* time at which the name was last read */
	_Atomic int done; /* all data is written, and the record may be reused for another thread */

	/* Members that keep their values when the record is reused. */
	struct memphis_thread_record *next; /* constant */
	struct memphis_thread_record
		*link; /* next record in the hash bucket of the tid, or in the free list */
	char *path;
	size_t path_bytes;
};

/* Sums of the threads' counts of lost data. */
struct memphis_losses {
	struct memphis_left_out left_out;
	_Atomic __u64 stacks_left_out;
	_Atomic __u64 spans_lost, spans_left_out, mpi_events_lost;
	_Atomic __u64 write_errors, bytes_left_out;
};

void memphis_thread_add_losses(struct memphis_losses *sum, const struct memphis_thread_record *thread);

extern struct memphis_losses memphis_retired; /* sums of the threads whose records were retired */

/*
 * Frees the memory that belongs to the record, and makes the record reusable. The thread must have ended, and
 * all its data must be written.
 */
void memphis_thread_retire(struct memphis_thread_record *thread);

/* Record of the calling thread, or NULL if it has none yet. */
extern __thread struct memphis_thread_record *memphis_self __attribute__((tls_model("initial-exec")));
/* Size of the calling thread's stack, set when it starts; 0: unknown. */
extern __thread size_t memphis_stack_bytes __attribute__((tls_model("initial-exec")));
/*
 * Returns the calling thread's record, and creates it on first use. Returns NULL if memory is exhausted or
 * the thread is ending.
 */
struct memphis_thread_record *memphis_thread_self(void);

/*
 * Called by the thread itself after a change of its region. The caliper at `depth` (1: the outermost) and
 * those inside it were opened or closed.
 */
static inline void memphis_thread_change_spans(struct memphis_thread_record *self, __u32 depth)
{
	memphis_spans_change(&self->spans, self->open, self->depth, depth - 1,
			     memphis_region_times_last(&self->times));
}

/*
 * Does the same as memphis_thread_self(), but neither allocates nor waits. The caller may run inside an
 * allocator that holds its lock, for example while the allocator maps memory. The record may be incomplete.
 * Returns NULL if the record can't be created under these conditions.
 */
struct memphis_thread_record *memphis_thread_self_below_malloc(void);

/* Returns the record of the thread with this tid, and creates it on first use. Used for threads that never called the library. */
struct memphis_thread_record *memphis_thread_find(pid_t tid);

/* Called by the drain. Returns true if the thread's task has ended. Another task may already use its tid. */
bool memphis_thread_is_gone(const struct memphis_thread_record *thread);

/*
 * Returns the newest record. ->next leads to the older ones. Records are never removed from the list. Records
 * that are `done` are reused.
 */
struct memphis_thread_record *memphis_thread_first(void);

/* Called before and after changes of the members that searches of the list read. */
void memphis_thread_pause(void);
void memphis_thread_resume(void);

/*
 * Fork handler of the child, in which only the calling thread exists. Keeps the unread events of the other
 * threads, because the child's drain writes them. `past_handlers`: see record/output.h.
 */
void memphis_thread_forked(bool past_handlers);

/* Callbacks of control/ for the end of a thread. They are called in this order in the last round of the thread's destructors. */
struct memphis_thread_end {
	/* Closes the calipers that the thread left open. */
	void (*close_calipers)(struct memphis_thread_record *self);
	/*
	 * Called if the thread has no unread events. Retires the thread's record if no session uses it.
	 * Returns 0 if the record was retired.
	 */
	int (*retire)(struct memphis_thread_record *self);
	/* Called if the record was not retired. The drain retires it later. */
	void (*ended)(void);
};

/* Called once, when the library is loaded. Returns 0, or -errno if the library will not notice the ends of threads. */
int memphis_thread_setup(const struct memphis_thread_end *end);

#endif
