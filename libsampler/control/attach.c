/* SPDX-License-Identifier: BSD-3-Clause */
/* Attachment of threads: by tid, or by the threads themselves when they start. */
#include <stdio.h>
#include <string.h>

#include "base/companion.h"
#include "control/attach.h"
#include "counters/counters.h"
#include "backend/backend.h"
#include "record/drain.h"
#include "core/attachment.h"
#include "base/say.h"
#include "base/text.h"

/*
 * The first pass of the drain detects threads that have ended, the next one that their tasks have
 * disappeared.
 */
#define RECLAIM_TRIES  2
#define RECLAIM_MS     20000 /* the drain may have hundreds of files to write */
#define ENDED_PER_PASS 256   /* a record and a ring have some 20 KB */

/* Returns 1 if the backend has no room for another thread or for its ring. */
static int is_full(int err)
{
	return err == -EDQUOT || err == -ENOSPC;
}

/* Reports the first thread that could not be attached although others could, in one line. */
static void report_unsampled(struct memphis_session *s, const struct memphis_thread_record *thread)
{
	if (thread->attachment != MEMPHIS_ATTACH_FAILED || s->unsampled_reported)
		return;
	if (s->other && thread->attach_error == -EEXIST)
		return; /* all threads have this error: memphis_watch() reports it for the whole process */
	s->unsampled_reported = 1;
	memphis_say("memphis: thread %d is not sampled: %s; %s\n", (int)thread->tid,
		    memphis_error_text(-thread->attach_error), memphis_backend_remedy(-thread->attach_error));
}

/* Lets the thread itself try again. */
static void let_wait(struct memphis_session *s, struct memphis_thread_record *thread)
{
	thread->attachment = MEMPHIS_ATTACH_WAITS;
	thread->attach_error = 0;
	atomic_fetch_sub(&s->threads_unsampled, 1);
}

void memphis_attach_new(pid_t tid)
{
	struct memphis_thread_record *thread;

	if (tid <= 0)
		return;
	thread = memphis_thread_find(tid);
	if (!thread || thread->attachment != MEMPHIS_UNATTACHED || !memphis_attach(thread))
		return;
	/*
	 * A process that has changed its user may not be looked at by others (prctl(2), PR_SET_DUMPABLE), of which the drain is one. The
	 * thread itself tries again when it starts or opens a caliper; so it does if the program has closed the device.
	 */
	if ((thread->attach_error == -EACCES || thread->attach_error == -EBADF) &&
	    memphis_companion_is_self())
		let_wait(&memphis_session, thread);
	else
		report_unsampled(&memphis_session, thread);
}

int memphis_attach_wanted(void)
{
	return atomic_load(&memphis_session.attaching);
}

/* Returns 1 if the backend has no room at the moment, so that the thread should try again. */
static int attach_once(struct memphis_session *s, struct memphis_thread_record *self, int last)
{
	const __u64 signals = sys_no_signals(); /* handlers may leave by longjmp(3) */
	int again = 0;

	memphis_lock_take(&s->lock);
	if (s->state == MEMPHIS_SESSION_READY && self->attachment <= MEMPHIS_ATTACH_WAITS &&
	    s->pid == getpid() && memphis_attach(self)) {
		again = is_full(self->attach_error) && !last;
		if (again) {
			let_wait(s, self);
		} else {
			report_unsampled(s, self);
		}
	}
	memphis_lock_release(&s->lock);
	sys_signals(signals);
	return again;
}

/*
 * Ended threads occupy the backend's room until the next passes of the drain: requests these passes, then
 * tries again.
 */
void memphis_attach_self(void)
{
	struct memphis_session *s = &memphis_session;
	struct memphis_thread_record *self = memphis_self;
	int cancel, tries = 0;

	if (!self || !atomic_load(&s->attaching))
		return;
	cancel = memphis_enter();
	while (attach_once(s, self, tries == RECLAIM_TRIES)) {
		tries++;
		/* If the drain does not answer, the next try is the last one, which reports a failure. */
		if (memphis_drain_request(MEMPHIS_DRAIN_NOW, RECLAIM_MS))
			tries = RECLAIM_TRIES;
	}
	memphis_leave(cancel);
}

int memphis_attach_retire(struct memphis_thread_record *thread)
{
	struct memphis_session *s = &memphis_session;
	int known;

	if (!memphis_lock_try(&s->lock))
		return -EBUSY;
	known = s->state != MEMPHIS_SESSION_FRESH;
	if (!known)
		memphis_thread_retire(thread);
	memphis_lock_release(&s->lock);
	return known ? -EBUSY : 0;
}

void memphis_attach_ended(void)
{
	static _Atomic unsigned int ended;

	if (atomic_fetch_add_explicit(&ended, 1, memory_order_relaxed) % ENDED_PER_PASS ==
		    ENDED_PER_PASS - 1 &&
	    memphis_session.state == MEMPHIS_SESSION_READY)
		memphis_drain_request(MEMPHIS_DRAIN_NOW, 0);
}
