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
 * The session's leader: a thread whose region is used for samples of threads without a caliper
 * (control/leader.c). `lock` protects changes of `open` and `leader`, and is held only briefly. All members
 * can be read without it.
 */
struct memphis_lead {
	struct memphis_lock lock;
	_Atomic int open; /* number of threads with an open caliper, plus 1 in program mode */
	_Atomic(struct memphis_thread_record *) leader;
	/* Counters are marked at the leader's calipers down to this depth (counters/reader.h); 0: no counters are read. */
	_Atomic int counters;
	/*
	 * Maximum of `counters` and memphis_spans_depth. INT_MAX if changes of the region are logged. Calipers
	 * below this depth have neither marks nor spans, and are not logged.
	 */
	_Atomic int watched;
};

/* The process to which the session belongs. control/ sets the members. They are constant while the state is READY. */
struct memphis_identity {
	pid_t pid;   /* the process in which the library was initialised, or the other process that is
		    * sampled */
	pid_t other; /* PID of the sampled process if it is another process (control/attach_process.h),
		      * otherwise 0 */
	int memory;  /* descriptor of the other process's memory, for memphis_attach.memory */
	/* descriptor of the same memory if stacks are copied; 0: the contents must not be read */
	int contents;
	struct memphis_run run;
	struct memphis_run parent_run; /* run of the process that forked this one; pid 0: there is none */
	__u64 forked_ns;               /* time of the fork; later events are in the files of this process */
	__u64 start_ns, start_realtime_ns;
};

/* When the session samples. control/ changes the members under the session's lock. record/ reads them for the files. */
struct memphis_activity {
	__u64 since_ns; /* time at which sampling was last switched on; 0: sampling is off */
	__u64 ns, first_ns, last_ns, count;
	int paused;   /* 1: between the calls of memphis_pause() and memphis_resume() */
	__u64 pauses; /* number of times that sampling was paused */
	__u64 cpu_ns; /* while sampling was on: CPU time of all threads of the process, including ended
		       * ones */
};

/* State of the code in record/. Used by the drain after the session was opened. */
struct memphis_output {
	struct memphis_sample_file process_file;
	struct memphis_stage stage;
	__u64 allocations_unsampled; /* number of records dropped by data/short_lived.h */
	int drain_missing;  /* 1: no companion could be created for the drain; threads that request a pass
			    * make it themselves */
	int finished_early; /* 1: the program has restricted its system calls, and the files end at that
			     * point */
};

struct memphis_session {
	/*
	 * `lock` protects all members that are not marked otherwise. `start_lock` is for a thread that opens
	 * the session or changes its settings: the thread takes it first and holds it all the time. It is
	 * needed because fork() waits for `lock`, so `lock` is released while files are created.
	 */
	struct memphis_lock start_lock;
	struct memphis_lock lock;
	_Atomic int state; /* enum memphis_session_state; readable without a lock */
	/*
	 * Set while the drain opens the session. If the program closes the library's descriptors at that
	 * moment, as daemons do, the drain tries again.
	 */
	bool tries_again;
	_Atomic int attaching; /* true: new threads attach themselves; readable without a lock */
	struct memphis_lead lead;
	struct memphis_identity identity;
	struct memphis_query query;
	struct memphis_config config;
	struct memphis_control *control;
	struct memphis_region_log *log; /* log of region changes for perf, see struct
					 * memphis_thread_record */
	__u64 unattached_before;        /* value of memphis_stats.unattached when the session was opened */
	struct memphis_output output;
	struct memphis_activity activity;
	_Atomic __u32 threads_attached, threads_unsampled;
	__u32 unsampled_reported;

	/* Large members are at the end, so that all members that a fork handler changes are in one page. */
	char problem[512];
	char base[128]; /* HOST.PID[.LAUNCH][.N], the first part of the file names */
	char directory[4096];
	char process_path[4400];
};

extern INTERNAL struct memphis_session memphis_session;

/* Sets `counters`, and updates `watched`. */
void memphis_session_watch(int counters);

/*
 * Gives up sampling. Sets the state to DEAD and prints one line "WHERE: ERROR; REMEDY" to standard error.
 * `err`: a positive errno, or 0. If it is EBADF and the drain will try again, does nothing.
 */
void memphis_session_fail(const char *where, int err, const char *remedy);

/*
 * Writes one line for the user that tells whether and how the process is sampled, or why it is not. Returns
 * the return value of snprintf().
 */
int memphis_session_status(char *text, size_t bytes);

/*
 * Flags of the whole process: whether sampling is on, and whether this process is a forked child that the
 * library has not noticed yet.
 */

/*
 * A page that the kernel clears in every child (MADV_WIPEONFORK), whatever function forked the child. A child
 * therefore never takes its parent's session for its own session. Read at every caliper.
 */
struct memphis_hot {
	_Atomic int sampling; /* 1 while sampling is on */
	_Atomic int kept;     /* each initialised process sets it to 1; 0: this is a forked child */
	char rest[4088];
};
extern INTERNAL struct memphis_hot memphis_hot;
extern int memphis_hot_is_wiped; /* 1: the kernel supports MADV_WIPEONFORK */

/*
 * Returns true in a child that was forked without the fork handlers (_Fork(), clone(2)), until the library
 * notices the fork. In such a child, a lock may be held by a thread that the child does not have. A
 * comparison of getpid() would not work, because in another PID namespace the child may have the same PID as
 * its parent.
 */
static inline bool memphis_is_copy(void)
{
	return memphis_hot_is_wiped && !atomic_load_explicit(&memphis_hot.kept, memory_order_relaxed);
}

#endif
