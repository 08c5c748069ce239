/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Initialisation and shutdown of the library in a process and in forked children: constructor, fork handlers,
 * destructor.
 */
#include <pthread.h>
#include <stdlib.h>

#include "control/attach.h"
#include "control/leader.h"
#include "control/session.h"
#include "control/tracking.h"
#include "counters/counters.h"
#include "record/drain.h"
#include "settings/env.h"
#include "data/events.h"
#include "data/taken.h"
#include "interpose/parts.h"
#include "interpose/lifecycle.h"
#include "core/names.h"
#include "record/output.h"
#include "base/own_thread.h"
#include "record/output_paths.h"
#include "core/sample_epoch.h"
#include "interpose/next_symbols.h"
#include "data/name_list.h"
#include "data/region.h"
#include "core/sanitizer.h"
#include "base/say.h"

static pid_t process;   /* process in which the library was initialised; 0: not initialised yet */
static pid_t program;   /* process in which the library's own caliper is open; 0: none */
static __u64 forked_ns; /* time of the latest fork; protected by the session's lock */

void memphis_program_begin(void)
{
	if (program == getpid())
		return;
	memphis_next_setup(); /* constructors of other objects may run before the library's */
	atomic_fetch_add(&memphis_session.open, 1);
	if (memphis_session_start())
		atomic_fetch_sub(&memphis_session.open, 1);
	else
		program = getpid();
}

void memphis_program_end(void)
{
	if (program != getpid() || memphis_settings.record)
		return;
	program = 0;
	if (atomic_fetch_sub(&memphis_session.open, 1) == 1)
		memphis_session_stop(0);
}

/*
 * A child that was created without these handlers, by calling clone(2) directly, may have inherited locks
 * held by threads that it does not have. Such a child is initialised as a separate process before it forks in
 * turn.
 */
static void before_fork(void)
{
	memphis_fork_check();
	pthread_mutex_lock(&memphis_session.lock);
	memphis_drain_pause();
	memphis_thread_pause();
	forked_ns = now_ns();
}

static void after_fork_parent(void)
{
	memphis_thread_resume();
	memphis_drain_resume();
	pthread_mutex_unlock(&memphis_session.lock);
}

/*
 * `past_handlers`: before_fork() did not run, so the library's threads were not paused and the time of the
 * fork is unknown.
 */
static void become_child(bool past_handlers)
{
	int was_ready = memphis_session.state == MEMPHIS_SESSION_READY;

	process = getpid();
	atomic_store(&memphis_hot.kept, 1);
	memphis_fd_forked();
	memphis_session_forked(past_handlers ? now_ns() : forked_ns);
	memphis_drain_forked();
	memphis_counters_forked();
	memphis_events_forked();
	memphis_taken_forked();
	memphis_sample_epoch_forked();
	memphis_names_forked();
	memphis_parts_forked();
	memphis_thread_forked(past_handlers);
	memphis_output_forked(past_handlers);
	atomic_store(&memphis_events_drained, 0);
	/* Most children execute another program at once, so the creation of their files is deferred briefly. */
	atomic_store(&memphis_session.deferred,
		     was_ready && memphis_settings.record ? MEMPHIS_DEFERRED : MEMPHIS_DEFERRED_NOT);
	if (was_ready && memphis_settings.record)
		memphis_program_begin();
}

static void after_fork_child(void)
{
	become_child(false);
}

void memphis_fork_check(void)
{
	if (process && (memphis_hot_is_wiped ? memphis_is_copy() : process != getpid()))
		become_child(true);
}

__attribute__((destructor)) static void end_process(void)
{
	if (process == getpid() && !memphis_is_copy())
		memphis_session_close();
}

static const struct memphis_thread_end thread_end = {
	.close_calipers = memphis_leader_abandon,
	.retire = memphis_attach_retire,
};

__attribute__((constructor)) static void begin_process(void)
{
	memphis_next_setup();
	if (memphis_sanitizer_is_behind()) {
		memphis_sanitizer_report();
		return;
	}
	memphis_tracking_setup(memphis_next.malloc != NULL);
	process = memphis_session.pid = getpid();
	memphis_say_setup();
	memphis_output_setup();
	memphis_own_thread_setup();
	memphis_hot_is_wiped = !madvise(&memphis_hot, sizeof(memphis_hot), MADV_WIPEONFORK);
	atomic_store(&memphis_hot.kept, 1);
	memphis_thread_setup(&thread_end);
	pthread_atfork(before_fork, after_fork_parent, after_fork_child);
	at_quick_exit(end_process);
	if (memphis_settings.record && !memphis_settings.disable)
		memphis_program_begin();
}
