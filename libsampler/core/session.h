/* SPDX-License-Identifier: BSD-3-Clause */
/* The process's session with the device: opened at the first outermost caliper, closed when the process ends. */
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
	MEMPHIS_SESSION_DEAD,  /* tried in vain; `problem` says why */
	MEMPHIS_SESSION_CLOSED /* the process is ending */
};

/* When the files of a forked child are made, which may be about to become another program. */
enum memphis_deferral {
	MEMPHIS_DEFERRED_NOT = 0, /* they stand */
	MEMPHIS_DEFERRED,         /* the drain makes them soon, unless ... */
	MEMPHIS_DEFERRED_EXEC,    /* ... an exec is under way, which the drain waits for, or ... */
	MEMPHIS_DEFERRED_MAKING   /* ... the drain is at it, which an exec waits for */
};

struct memphis_session {
	/*
	 * `lock` protects all of it, but for what is marked otherwise. Whoever opens the session, or changes settings for it,
	 * holds `start_lock` besides, and first: it gives `lock` up while files are made, as fork() waits for that one.
	 */
	pthread_mutex_t start_lock;
	pthread_mutex_t lock;
	_Atomic int state;                       /* enum memphis_session_state; read anywhere */
	_Atomic int attaching;                   /* new threads attach themselves; read anywhere */
	pthread_mutex_t lead_lock;               /* protects changes of the next two; taken for moments */
	_Atomic int open;                        /* threads with an open caliper, + 1 in program mode */
	_Atomic(struct memphis_thread *) leader; /* whose region is the session's; read anywhere */
	_Atomic int counters; /* somebody wants to know when it changes: counters/counters.h */
	char problem[512];

	/* Constant while READY. */
	pid_t pid;
	pid_t other; /* the process that is sampled, where it is not the own one: control/attach_process.h. Else 0 ... */
	int memory;   /* ... as is this: memphis_attach.memory */
	__u64 cpu_ns; /* CPU time that it took while it was sampled, all threads that ever were */
	struct memphis_query query;
	struct memphis_config config;
	struct memphis_control *control;
	struct memphis_region_log *log; /* as in struct memphis_thread */
	char directory[4096];
	char base[128]; /* HOST.PID[.N] */
	struct memphis_run run;
	struct memphis_run parent_run; /* of the process that this was forked from; pid 0: none */
	__u64 forked_ns;               /* time of that fork; later events are in this process's files */
	__u64 start_ns, start_realtime_ns;
	__u64 unattached_before; /* memphis_stats.unattached at the start */

	int drain_missing; /* no thread can be made: whoever has a request for the drain does its work */

	_Atomic int deferred;             /* enum memphis_deferral */
	struct memphis_file process_file; /* the drain's */
	char process_path[4400];
	struct memphis_stage stage;  /* the drain's */
	__u64 allocations_unsampled; /* the drain's: records dropped as data/short_lived.h says */

	__u64 active_since_ns; /* 0: off */
	__u64 active_ns, active_first_ns, active_last_ns, active_count;
	_Atomic __u32 threads_attached, threads_unsampled;
	__u32 unsampled_told;
};

extern struct memphis_session memphis_session;

/* Give up: one line on stderr, in all. `what` may end in ": "; err is a positive errno or 0. */
void memphis_session_fail(const char *where, int err, const char *remedy);

int memphis_session_status(char *text, size_t bytes);

#endif
