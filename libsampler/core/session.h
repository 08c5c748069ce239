/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * State of the sampling session of this process. control/session.h opens the session at the first outermost
 * caliper and closes it when the process ends.
 */
#ifndef MEMPHIS_SESSION_H
#define MEMPHIS_SESSION_H

#include <stdatomic.h>

#include <memphis/device.h>

#include "base/lock.h"
#include "base/sys.h"
#include "data/file.h"
#include "base/text.h"

struct memphis_region_log;
struct memphis_thread_record;

enum memphis_session_state {
	MEMPHIS_SESSION_FRESH, /* not opened yet */
	MEMPHIS_SESSION_READY,
	MEMPHIS_SESSION_DEAD,  /* could not be opened; `problem` contains the reason */
	MEMPHIS_SESSION_CLOSED /* the process is ending */
};

/*
 * The thread that leads: its region is the session's, for samples of threads without a caliper (control/leader.c). `lock` protects changes of
 * `open` and `leader`, and is held only briefly; all can be read without it.
 */
struct memphis_lead {
	struct memphis_lock lock;
	_Atomic int open; /* number of threads with an open caliper, + 1 in program mode */
	_Atomic(struct memphis_thread_record *) leader;
	/* Depth down to which calipers of the leader are marked; 0: no counters are read (counters/reader.h). */
	_Atomic int counters;
	/* The larger one of `counters` and memphis_spans_depth: calipers below this depth are neither marked nor have spans. */
	_Atomic int watched;
};

/* Whose session this is. Set by control/, and constant while the state is READY. */
struct memphis_identity {
	pid_t pid; /* process that the library was initialised in, or that is sampled */
	pid_t other; /* PID of the sampled process if it is another process (control/attach_process.h), else 0 */
	int memory; /* descriptor of the other process's memory, for memphis_attach.memory */
	/* descriptor of the same memory if stacks are copied; 0: the contents may not be read */
	int contents;
	struct memphis_run run;
	struct memphis_run parent_run; /* run of the process that forked this one; pid 0: there is none */
	__u64 forked_ns;               /* time of the fork: later events are in the files of this process */
	__u64 start_ns, start_realtime_ns;
};

/* When the session samples. Changed by control/, under the session's lock; read by record/ for the files. */
struct memphis_activity {
	__u64 since_ns; /* time at which sampling was last switched on; 0: sampling is off */
	__u64 ns, first_ns, last_ns, count;
	int paused;   /* 1: between the calls of memphis_pause() and memphis_resume() */
	__u64 pauses; /* number of times that sampling was paused */
	__u64 cpu_ns; /* CPU time of all threads of the process, also of ended ones, while sampling was on */
};

/* State of what record/ writes. Used by the drain, after the session was opened. */
struct memphis_output {
	struct memphis_sample_file process_file;
	struct memphis_stage stage;
	__u64 allocations_unsampled; /* number of records dropped by data/short_lived.h */
	int drain_missing; /* 1: no companion could be made for the drain, and threads that request a pass make it */
	int finished_early; /* 1: the program has restricted its system calls, and the files end there */
};

struct memphis_session {
	/*
	 * `lock` protects all members not marked otherwise. A thread that opens the session or changes its
	 * settings first takes `start_lock` and holds it throughout, because `lock`, for which fork() waits,
	 * is released while files are created.
	 */
	struct memphis_lock start_lock;
	struct memphis_lock lock;
	_Atomic int state; /* enum memphis_session_state; readable without a lock */
	/* Set while the drain opens the session: if the program closes the library's descriptors at that moment, as daemons do, the drain tries again. */
	bool tries_again;
	_Atomic int attaching; /* new threads attach themselves; readable without a lock */
	struct memphis_lead lead;
	struct memphis_identity identity;
	struct memphis_query query;
	struct memphis_config config;
	struct memphis_control *control;
	struct memphis_region_log *log; /* log of region changes, as in struct memphis_thread_record */
	__u64 unattached_before;        /* value of memphis_stats.unattached when the session was opened */
	struct memphis_output output;
	struct memphis_activity activity;
	_Atomic __u32 threads_attached, threads_unsampled;
	__u32 unsampled_reported;

	/* The last member, so that all members that a fork handler changes are in one page. */
	char problem[512];
	char base[128]; /* HOST.PID[.LAUNCH][.N], the first part of the file names */
	char directory[4096];
	char process_path[4400];
};

extern struct memphis_session memphis_session;

/* Sets `counters` to the depth, and `watched` to the larger one of it and memphis_spans_depth. */
void memphis_session_watch(int counters);

/*
 * Gives up sampling: sets the state to DEAD and prints one line "WHERE: ERROR; REMEDY" to standard error.
 * `err` is a positive errno, or 0. Does nothing if it is EBADF, and the drain tries again.
 */
void memphis_session_fail(const char *where, int err, const char *remedy);

/*
 * Writes one line for the user that states whether and how the process is sampled, or why it is not. Returns
 * what snprintf() returns.
 */
int memphis_session_status(char *text, size_t bytes);

/* Process-wide flags: sampling is on; this process is a forked child that the library has not noticed yet. */

/*
 * A page that the kernel clears in every child (MADV_WIPEONFORK), however the child was forked. A child
 * therefore never mistakes its parent's session for its own. Read at every caliper.
 */
struct memphis_hot {
	_Atomic int sampling; /* 1 while sampling is on */
	_Atomic int kept;     /* set by each initialised process; 0: child of a fork */
	char rest[4088];
};
extern struct memphis_hot memphis_hot;
extern int memphis_hot_is_wiped; /* 1: the kernel supports MADV_WIPEONFORK */

/*
 * Returns true in a child that was forked without running the fork handlers (_Fork(), clone(2)), until the
 * library notices the fork. Locks may then be held by threads that the child does not have. Comparing
 * getpid() would not work: in another PID namespace, the child may have the same PID as its parent.
 */
static inline bool memphis_is_copy(void)
{
	return memphis_hot_is_wiped && !atomic_load_explicit(&memphis_hot.kept, memory_order_relaxed);
}

#endif
