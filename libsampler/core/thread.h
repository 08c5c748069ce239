/* SPDX-License-Identifier: BSD-3-Clause */
/* The record of each thread, and the list of all records. */
#ifndef MEMPHIS_THREAD_H
#define MEMPHIS_THREAD_H

#include <stdatomic.h>
#include <stdbool.h>

#include <memphis/device.h>

#include "base/busy.h"
#include "data/events.h"
#include "data/file.h"
#include "unwind/frames.h"
#include "data/region.h"
#include "data/region_log.h"
#include "unwind/stack.h"
#include "core/tls.h"
#include "data/withheld.h"

#define MEMPHIS_CALIPERS_MAX 128 /* open calipers per thread; deeper ones are only counted */
#define MEMPHIS_REGION_CACHE 64

/* Entry of a thread's cache: the region that a name stands for inside `parent`. */
struct memphis_known_region {
	const char *name; /* the caller's pointer */
	struct memphis_region *parent;
	struct memphis_region *region;
};

/* Where a caliper was opened, to detect calipers that are left without their end (api/caliper.c). */
struct memphis_opened {
	const void *site; /* return address of the call; NULL: unknown */
	__u64 frame; /* CFA of the function that was called there, | flags MEMPHIS_OUTLIVES, MEMPHIS_AGAIN */
	__u64 sites; /* Bloom filter of the call sites of the calipers around this one */
};

/*
 * The caliper outlives the frame that opened it: another was opened or closed in an outer frame while this one was open.
 */
#define MEMPHIS_OUTLIVES 1
#define MEMPHIS_AGAIN    2 /* a caliper around this one may have the same call site */
#define MEMPHIS_FRAME    (~(__u64)3)

#define MEMPHIS_CALIPERS_LEFT 16 /* regions per thread whose late ends are recognised */

/* How many calipers of that region were closed because their end did not come; a late end shows that this was wrong. */
struct memphis_left {
	const struct memphis_region *region;
	__u32 count;
};

enum memphis_attachment {
	MEMPHIS_UNATTACHED = 0,
	MEMPHIS_ATTACH_WAITS, /* the backend has no room; the thread itself tries again */
	MEMPHIS_ATTACHED,
	MEMPHIS_ATTACH_FAILED
};

struct memphis_thread {
	/* Calipers; used by the thread itself, but for what is atomic. */
	_Atomic(struct memphis_control *) control; /* the backend's control page, or `aside` */
	__u32 depth;
	struct memphis_region *open[MEMPHIS_CALIPERS_MAX];
	__u64 sites; /* Bloom filter of the call sites of the open calipers */
	struct memphis_opened opened[MEMPHIS_CALIPERS_MAX];
	struct memphis_left left[MEMPHIS_CALIPERS_LEFT];
	bool leaves_none; /* an end has come late: no caliper is taken for left any more */
	struct memphis_known_region cache[MEMPHIS_REGION_CACHE];
	struct memphis_control aside;             /* holds the region while there is no control page */
	_Atomic(struct memphis_region_log *) log; /* log of changes of the region; NULL: not needed */

	/* Used by the thread itself: the bounds of its stack were looked up, and its end will be noticed. */
	bool complete;

	/* Allocations: written by the thread, read by the drain. */
	struct memphis_events events;
	struct memphis_stacks stacks;
	_Atomic __u64 allocations_left_out, releases_left_out;
	struct memphis_withheld withheld; /* used by the drain */

	/* Set before the record is added to the list. */
	pid_t tid;
	__u64 start_ns;
	_Atomic int owned; /* the thread's memphis_self points here */
	_Atomic int ended; /* the thread will push no more events */

	/* Set by the thread itself when known. */
	int openmp;         /* number in its OpenMP team, + 1; 0: unknown */
	char last_name[16]; /* its name when it ended */

	struct memphis_tls tls;
	struct memphis_frames *frames; /* stack frames of its outermost calipers */

	/* The attachment to the backend; protected by the session's lock. */
	enum memphis_attachment attachment;
	int attach_error;
	struct memphis_control *page;
	const struct memphis_status *status; /* set last: not NULL means that the drain may use the ring */
	size_t ring_bytes;

	/* Used by the drain. */
	__u64 tail, touched,
		head; /* ring positions: drained, examined, and filled, as of the last snapshot */
	struct memphis_accounting accounting; /* as of the snapshot */
	struct memphis_accounting accounting_written;
	__u64 written_ns;
	struct memphis_file file;
	int has_file;
	bool finished;          /* the thread has ended, and its file is finished */
	struct memphis_fd comm; /* /proc/PID/task/TID/comm: the thread's name */
	/* What the THREAD chunks contain so far. */
	int facts_written; /* the start, and more that does not change */
	int stack_written; /* the bounds of the stack */
	int openmp_written;
	char name_written[16];
	__u64 named_ns; /* when the name was last read */
	_Atomic int
		done; /* the file is finished and nothing is left: the record may be reused for another thread */

	/* Members that survive the reuse of the record. */
	struct memphis_thread *next; /* constant */
	struct memphis_thread *link; /* the next in the same hash bucket of tids, or in the free list */
	char *path;
	size_t path_bytes;
};

/* What was left out in threads that are gone. */
struct memphis_retired {
	_Atomic __u64 allocations_left_out, releases_left_out, stacks_left_out;
	_Atomic __u64 write_errors, bytes_left_out;
};
extern struct memphis_retired memphis_retired;

/* Free what the record holds and make it reusable: the thread has ended, and all that it left is written. */
void memphis_thread_retire(struct memphis_thread *thread);

/* The calling thread's record, or NULL while it has none. */
extern __thread struct memphis_thread *memphis_self __attribute__((tls_model("initial-exec")));
/* Returns the calling thread's record, created on first use. NULL if out of memory or if the thread is ending. */
struct memphis_thread *memphis_thread_self(void);

/*
 * The same for callers that an allocator may have called while holding its lock, as when it maps memory: does not
 * allocate and does not wait. The record may be incomplete; NULL if it can't be created this way.
 */
struct memphis_thread *memphis_thread_self_below_malloc(void);

/* Returns the record of the thread with that tid, created on first use: for threads that never called the library. */
struct memphis_thread *memphis_thread_find(pid_t tid);

/* Whether the thread's task has ended; its tid may be in use again. For the drain. */
bool memphis_thread_is_gone(const struct memphis_thread *thread);

/* Returns the newest record; follow ->next. Records are never removed from the list; those that are `done` are reused. */
struct memphis_thread *memphis_thread_first(void);

/* Around fork(), so that the child finds the list in a consistent state. */
void memphis_thread_pause(void);
void memphis_thread_resume(void);

/* In the child of a fork: only the calling thread is left. Unread events of the others are kept, as the drain writes them. */
void memphis_thread_forked(void);

/* What control does when the calling thread ends: called in the last round of its destructors, in this order. */
struct memphis_thread_end {
	/* Close the calipers that the thread has left open. */
	void (*close_calipers)(struct memphis_thread *self);
	/* Called if the thread has no unread events: retire its record if no session knows it. 0 if so. */
	int (*retire)(struct memphis_thread *self);
};

/* Once, when the library is loaded. 0 or -errno: ends of threads will go unnoticed. */
int memphis_thread_setup(const struct memphis_thread_end *end);

#endif
