/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * State of the process's sampling session: opened at the first outermost caliper, closed when the process ends
 * (control/session.h).
 */
#ifndef MEMPHIS_SESSION_H
#define MEMPHIS_SESSION_H

#include <pthread.h>
#include <stdatomic.h>

#include <memphis/device.h>

#include "data/file.h"
#include "base/text.h"
#include "core/hot.h"
#include "core/thread.h"

enum memphis_session_state {
	MEMPHIS_SESSION_FRESH, /* not tried yet */
	MEMPHIS_SESSION_READY,
	MEMPHIS_SESSION_DEAD,  /* opening failed; `problem` contains the reason */
	MEMPHIS_SESSION_CLOSED /* the process is ending */
};

/* When the files of a forked child are created: a moment later, as the child may be about to execute another program. */
enum memphis_deferral {
	MEMPHIS_DEFERRED_NOT = 0, /* the files exist */
	MEMPHIS_DEFERRED,         /* the drain will create them soon */
	MEMPHIS_DEFERRED_EXEC,    /* an exec is under way: the drain waits for its outcome */
	MEMPHIS_DEFERRED_MAKING   /* the drain is creating them: an exec waits for the drain */
};

struct memphis_session {
	/*
	 * `lock` protects all members that are not marked otherwise. Opening the session, or changing its settings, takes
	 * `start_lock` first and keeps it throughout, as `lock` is given up while files are created: fork() waits for `lock`.
	 */
	pthread_mutex_t start_lock;
	pthread_mutex_t lock;
	_Atomic int state;         /* enum memphis_session_state; read anywhere */
	_Atomic int attaching;     /* new threads attach themselves; read anywhere */
	pthread_mutex_t lead_lock; /* protects changes of `open` and `leader`; held briefly */
	_Atomic int open;          /* number of threads with an open caliper, + 1 in program mode */
	_Atomic(struct memphis_thread *) leader; /* thread whose region is the session's; read anywhere */
	_Atomic int
		counters; /* counters are read: mark changes of the leader's region (counters/counters.h) */
	char problem[512];

	/* Constant while READY. */
	pid_t pid;
	/* Only if another process is sampled (control/attach_process.h), else 0. */
	pid_t other;
	int memory;   /* descriptor of its memory: memphis_attach.memory */
	__u64 cpu_ns; /* its CPU time while it was sampled, in all threads that ever existed */
	struct memphis_query query;
	struct memphis_config config;
	struct memphis_control *control;
	struct memphis_region_log *log; /* as in struct memphis_thread */
	char directory[4096];
	char base[128]; /* HOST.PID[.N] */
	struct memphis_run run;
	struct memphis_run parent_run; /* of the process that forked this one; pid 0: none */
	__u64 forked_ns;               /* time of that fork: later events are in the files of this process */
	__u64 start_ns, start_realtime_ns;
	__u64 unattached_before; /* memphis_stats.unattached at the start */

	/* The drain has no thread, as none can be created: its work is done by the threads that request it. */
	int drain_missing;

	_Atomic int deferred;             /* enum memphis_deferral */
	struct memphis_file process_file; /* used by the drain */
	char process_path[4400];
	struct memphis_stage stage;  /* used by the drain */
	__u64 allocations_unsampled; /* used by the drain: records dropped according to data/short_lived.h */

	__u64 active_since_ns; /* 0: off */
	__u64 active_ns, active_first_ns, active_last_ns, active_count;
	_Atomic __u32 threads_attached, threads_unsampled;
	__u32 unsampled_reported;
};

extern struct memphis_session memphis_session;

/*
 * Give up sampling: the session is DEAD, with one line on standard error. `err` is a positive errno or 0. The message is
 * "WHERE: ERROR; REMEDY".
 */
void memphis_session_fail(const char *where, int err, const char *remedy);

/* Writes one line for the user: whether the process is sampled, how, or why not. Returns as snprintf(). */
int memphis_session_status(char *text, size_t bytes);

#endif
