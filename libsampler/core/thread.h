/* SPDX-License-Identifier: BSD-3-Clause */
/* What the library keeps per thread, and the list of all threads. */
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

#define MEMPHIS_CALIPERS_MAX 128 /* open ones per thread; deeper ones are only counted */
#define MEMPHIS_REGION_CACHE 64

struct memphis_known_region {
	const char *name; /* as the caller gave it */
	struct memphis_region *parent;
	struct memphis_region *region;
};

/* Where a caliper was opened: what tells that it was left without its end (api/caliper.c). */
struct memphis_opened {
	const void *site; /* the call, as its return address; NULL: not known */
	__u64 frame;      /* the CFA of the function that was called there; | these two: */
	__u64 sites;      /* one bit for each site of those around this one */
};

#define MEMPHIS_OUTLIVES \
	1 /* others were opened further out while it was open, or it stayed when they were closed */
#define MEMPHIS_AGAIN 2 /* one around it may be of the same site */
#define MEMPHIS_FRAME (~(__u64)3)

/* Calipers that were taken for left, until their end comes all the same. */
#define MEMPHIS_CALIPERS_LEFT 16
struct memphis_left {
	const struct memphis_region *region;
	__u32 count;
};

enum memphis_attachment {
	MEMPHIS_UNATTACHED = 0,
	MEMPHIS_ATTACH_WAITS, /* there was no room; the thread itself tries again */
	MEMPHIS_ATTACHED,
	MEMPHIS_ATTACH_FAILED
};

struct memphis_thread {
	/* The thread's own: calipers. */
	_Atomic(struct memphis_control *) control; /* the device's page, or `aside` */
	__u32 depth;
	struct memphis_region *open[MEMPHIS_CALIPERS_MAX];
	__u64 sites; /* one bit for each site of those that are open */
	struct memphis_opened opened[MEMPHIS_CALIPERS_MAX];
	struct memphis_left left[MEMPHIS_CALIPERS_LEFT];
	bool leaves_none; /* an end has come late: nothing is taken for left any more */
	struct memphis_known_region cache[MEMPHIS_REGION_CACHE];
	struct memphis_control aside;             /* where the region goes while there is no page */
	_Atomic(struct memphis_region_log *) log; /* where its changes are noted; NULL: nobody asks */

	/* The thread's own: where its stack lies has been asked, and its end will be noticed. */
	bool complete;

	/* The thread's own, and the drain's: allocations. */
	struct memphis_events events;
	struct memphis_stacks stacks;
	_Atomic __u64 allocations_left_out, releases_left_out;
	struct memphis_withheld withheld; /* the drain's */

	/* Set before the record is in the list. */
	pid_t tid;
	__u64 start_ns;
	_Atomic int owned; /* memphis_self of the thread points here */
	_Atomic int ended; /* the thread pushes nothing more */

	/* The thread's own, told when they are known. */
	int openmp;         /* number in its OpenMP team, + 1; 0: nobody told */
	char last_name[16]; /* at its end */

	struct memphis_tls tls;
	struct memphis_frames *frames; /* of its outermost calipers */

	/* Under the session's lock: the device's side. */
	enum memphis_attachment attachment;
	int attach_error;
	struct memphis_control *page;
	const struct memphis_status *status; /* set last, when all else is ready for the drain */
	size_t ring_bytes;

	/* The drain's. */
	__u64 tail, touched, head; /* records drained, looked at, and there are, at the last snapshot */
	struct memphis_accounting accounting; /* of the snapshot */
	struct memphis_accounting books_written;
	__u64 written_ns;
	struct memphis_file file;
	int has_file;
	bool finished;          /* the thread has ended, and so has its file */
	struct memphis_fd comm; /* where the system tells its name */
	/* What the THREAD chunks say. */
	int facts_told; /* the start and more that does not change, ... */
	int stack_told; /* ... where the stack lies, ... */
	int openmp_told;
	char name_told[16];
	__u64 named_ns;   /* when the name was last looked at */
	_Atomic int done; /* file finished, nothing left: the record may serve another thread */

	/* Stay when it does. */
	struct memphis_thread *next; /* constant */
	struct memphis_thread
		*link; /* the next of those with the same hash of the tid, or of those to use again */
	char *path;
	size_t path_bytes;
};

/* What threads that are gone had to leave out. */
struct memphis_retired {
	_Atomic __u64 allocations_left_out, releases_left_out, stacks_left_out;
	_Atomic __u64 write_errors, bytes_left_out;
};
extern struct memphis_retired memphis_retired;

/* The thread has ended and all that it left is written: free what it holds, make the record free. */
void memphis_thread_retire(struct memphis_thread *thread);

/* The calling thread's, or NULL while it has none. */
extern __thread struct memphis_thread *memphis_self __attribute__((tls_model("initial-exec")));
/* The calling thread's, made if need be; NULL only without memory, or in a thread that is ending. */
struct memphis_thread *memphis_thread_self(void);

/*
 * The same where an allocator may be at work that holds a lock of its own, as when it maps memory: allocates nothing, and
 * waits for nobody. The record may not be complete, and where one can't be made this way there is none.
 */
struct memphis_thread *memphis_thread_self_below_malloc(void);

/* The thread whose task has that tid, made if need be: for threads that never called us. */
struct memphis_thread *memphis_thread_find(pid_t tid);

/* Its task has ended, so that its tid is nobody's or another one's. For the drain. */
bool memphis_thread_is_gone(const struct memphis_thread *thread);

/* The newest record; follow ->next. Records are never taken from the list; a `done` one is used again. */
struct memphis_thread *memphis_thread_first(void);

/* Around fork(), so that the child finds the list at rest. */
void memphis_thread_pause(void);
void memphis_thread_resume(void);

/* In the child of a fork: the caller is the only one left; the others' unread events are still of use. */
void memphis_thread_forked(void);

/* What the calling thread's end means to those above: called in the last round of its destructors, in this order. */
struct memphis_thread_end {
	/* Close the calipers that the thread has left open. */
	void (*close_calipers)(struct memphis_thread *self);
	/* The thread left no events: retire its record if no session knows it. 0 if so. */
	int (*retire)(struct memphis_thread *self);
};
int memphis_thread_setup(const struct memphis_thread_end *end);

#endif
