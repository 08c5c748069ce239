/* SPDX-License-Identifier: BSD-3-Clause */
/* Initialisation and shutdown of the library in a process and in forked children: constructor, fork handlers, destructor. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "control/attach.h"
#include "control/leader.h"
#include "control/session.h"
#include "control/tracking.h"
#include "counters/reader.h"
#include "record/drain.h"
#include "record/jit.h"
#include "settings/env.h"
#include "data/events.h"
#include "data/taken.h"
#include "interpose/parts.h"
#include "interpose/lifecycle.h"
#include "core/names.h"
#include "record/output.h"
#include "record/output_paths.h"
#include "core/sample_epoch.h"
#include "interpose/next_symbols.h"
#include "data/region.h"
#include "core/sanitizer.h"
#include "unwind/python.h"
#include "base/companion.h"
#include "base/proc.h"
#include "base/say.h"
#include "base/stand_ins.h"

#define CLOSE_MS 20000 /* a file system may be slow */

static MEMPHIS_AT_FORK pid_t
	process; /* process in which the library was initialised; 0: not initialised yet */
static MEMPHIS_AT_FORK pid_t program;  /* process in which the library's own caliper is open; 0: none */
static MEMPHIS_AT_FORK bool is_forked; /* no program was executed since the latest fork */
static MEMPHIS_AT_FORK __u64
	forked_ns; /* time of the latest fork; the lock of the drain's passes protects it */
static __thread __u64 signals
	__attribute__((tls_model("initial-exec"))); /* signal mask of a thread that forks */

void memphis_program_begin(void)
{
	if (program == getpid())
		return;
	memphis_next_setup(); /* constructors of other objects may run before the library's constructor */
	atomic_fetch_add(&memphis_session.lead.open, 1);
	if (memphis_session_start())
		atomic_fetch_sub(&memphis_session.lead.open, 1);
	else
		program = getpid();
}

void memphis_program_end(void)
{
	if (program != getpid() || memphis_settings.record)
		return;
	program = 0;
	if (atomic_fetch_sub(&memphis_session.lead.open, 1) == 1)
		memphis_session_stop(0);
}

/*
 * Starts the recording of the process after its first milliseconds. Most processes that a program starts
 * execute another program or end at once. Async-signal-safe. Returns 0, or -errno if no companion can be
 * created.
 */
static int defer_recording(bool was_forked)
{
	int err;

	atomic_store(&memphis_session.lead.open, 1);
	program = process;
	err = memphis_session_defer(was_forked);
	if (err) {
		atomic_store(&memphis_session.lead.open, 0);
		program = 0;
	}
	return err;
}

/*
 * Prepares for a fork. Only passes of the drain have to wait while the process forks. The library holds no
 * lock that starting or ending threads need. The reason: handlers of other libraries run between this one and
 * the fork, and may wait for their threads (OpenBLAS joins them). The child may therefore inherit locks of
 * threads that it does not have, and data that these threads were changing.
 *
 * A child that was created without these handlers, by calling clone(2) directly, is initialised as a separate
 * process before it forks itself.
 */
static void before_fork(void)
{
	memphis_fork_check();
	/* Block signals, because a signal handler could also fork, or leave this function by longjmp(3). */
	signals = sys_no_signals();
	/* If another thread is opening a session, wait until the session is complete. */
	memphis_lock_take(&memphis_session.lock);
	memphis_lock_release(&memphis_session.lock);
	memphis_drain_pause();
	forked_ns = now_ns();
}

static void after_fork_parent(void)
{
	memphis_drain_resume();
	sys_signals(signals);
}

/*
 * Resets the state in a child. Uses only async-signal-safe functions, because locks of the C library, of the
 * dynamic loader and of allocators may be held by threads that the child does not have.
 *
 * `past_handlers`: before_fork() did not run. The companions were then not paused, and the time of the fork
 * is unknown.
 */
static void become_child(bool past_handlers)
{
	const bool is_recorded = memphis_settings.record && memphis_session.state != MEMPHIS_SESSION_CLOSED &&
				 (program || memphis_session_is_deferred());

	process = getpid();
	/* This reads a link. After the session was finished, the program may have forbidden that. */
	if (memphis_session.state != MEMPHIS_SESSION_CLOSED)
		memphis_proc_set_own();
	atomic_store(&memphis_hot.kept, 1);
	memphis_fd_forked();
	memphis_say_forked();
	memphis_session_forked(past_handlers ? now_ns() : forked_ns);
	memphis_drain_forked();
	memphis_counters_forked();
	memphis_new_thread_forked();
	memphis_tls_forked();
	is_forked = true;
	memphis_events_forked();
	memphis_python_forked();
	memphis_taken_forked();
	memphis_sample_epoch_forked();
	memphis_names_forked();
	memphis_parts_forked();
	memphis_thread_forked(past_handlers);
	memphis_output_forked(past_handlers);
	memphis_jit_forked();
	atomic_store(&memphis_events_drained, 0);
	program = 0;
	if (is_recorded)
		defer_recording(true);
}

static void after_fork_child(void)
{
	become_child(false);
	sys_signals(signals);
}

void memphis_fork_check(void)
{
	if (process && (memphis_hot_is_wiped ? memphis_is_copy() : process != getpid()))
		become_child(true);
}

/*
 * Called by exit(3), also when main() returns, before the functions of atexit(3). These include the
 * destructors of C++ static objects. The C library treats this function as the destructor of a thread-local
 * object of the main thread. If another thread calls exit(3), this function is not called, and end_process()
 * does the remaining work.
 */
static void announce_exit(UNUSED void *object)
{
	/* Test the state first, without a system call, as in end_process(). */
	if (memphis_session.state != MEMPHIS_SESSION_CLOSED && process == getpid() && !memphis_is_copy())
		memphis_session_leave();
}

/* The function by which compilers register such destructors. Only glibc has it. */
extern int __cxa_thread_atexit_impl(void (*destructor)(void *), void *object, void *dso)
	__attribute__((weak));

__attribute__((destructor)) static void end_process(void)
{
	/*
	 * Test the state first, without a system call, because the program may have forbidden system calls
	 * (memphis_session_finish()).
	 */
	if (memphis_session.state == MEMPHIS_SESSION_CLOSED || process != getpid() || memphis_is_copy())
		return;
	if (!is_forked)
		memphis_tls_list();
	if (memphis_settings.record == MEMPHIS_RECORD_AT_ONCE && memphis_session_is_deferred())
		memphis_session_start(); /* a forked child that ends before its drain has started to work */
	memphis_session_close(CLOSE_MS);
}

static const struct memphis_thread_end thread_end = {
	.close_calipers = memphis_leader_abandon,
	.retire = memphis_attach_retire,
	.ended = memphis_attach_ended,
};

__attribute__((constructor)) static void begin_process(void)
{
	if (memphis_stand_in)
		memphis_stand_in(&memphis_stand_ins);
	memphis_next_setup();
	if (memphis_sanitizer_is_behind()) {
		memphis_sanitizer_report();
		return;
	}
	memphis_tracking_setup(memphis_next.malloc != NULL);
	process = memphis_session.identity.pid = getpid();
	memphis_say_setup();
	memphis_output_setup();
	memphis_companion_setup();
	memphis_python_look(true);
	memphis_proc_set_own();
	memphis_hot_is_wiped = !madvise(&memphis_hot, sizeof(memphis_hot), MADV_WIPEONFORK);
	atomic_store(&memphis_hot.kept, 1);
	memphis_thread_setup(&thread_end);
	memphis_tls_list();
	pthread_atfork(before_fork, after_fork_parent, after_fork_child);
	at_quick_exit(end_process);
	if (__cxa_thread_atexit_impl)
		__cxa_thread_atexit_impl(announce_exit, NULL, &process);
	if (!memphis_settings.record || memphis_settings.disable)
		return;
	/* Record the launched program from its start. Record the programs that it starts only if they live long enough. */
	if (memphis_settings.record == MEMPHIS_RECORD_AT_ONCE || memphis_env_is_root() ||
	    defer_recording(false))
		memphis_program_begin();
}
