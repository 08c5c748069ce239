/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads and the device: attached when sampling starts or they do, let go of when they have ended. */
#include <stdio.h>
#include <string.h>

#include "control/attach.h"
#include "api/caliper.h"
#include "counters/counters.h"
#include "backend/backend.h"
#include "record/drain.h"
#include "core/sample_epoch.h"
#include "base/say.h"

/* A pass of the drain sees threads that have ended, the next one that their tasks are gone. */
#define RECLAIM_TRIES 2
#define RECLAIM_MS    20000 /* it may have hundreds of files to write */

int memphis_attach(struct memphis_thread *thread)
{
	struct memphis_session *s = &memphis_session;
	struct memphis_attach attach = {.tid = thread->tid, .memory = s->memory};
	const struct memphis_status *status;
	int err;

	err = memphis_backend->request(MEMPHIS_IOC_ATTACH, &attach);
	if (err)
		goto failed;
	thread->page =
		memphis_backend->map(MEMPHIS_PAGE_BYTES, PROT_READ | PROT_WRITE, attach.control_offset, &err);
	if (!thread->page)
		goto detach;
	thread->ring_bytes = attach.ring_bytes;
	status = memphis_backend->map(attach.ring_bytes, PROT_READ, attach.ring_offset, &err);
	if (!status)
		goto unmap_page;
	thread->tail = thread->touched = thread->head = 0;
	thread->attachment = MEMPHIS_ATTACHED;
	memphis_caliper_copy(thread->page, NULL, thread);
	atomic_store(&thread->control, thread->page);
	atomic_store(&thread->log, memphis_backend->log(thread->tid));
	memphis_caliper_copy(thread->page, thread->log, thread); /* if the thread wrote it in between */
	__atomic_store_n(&thread->status, status, __ATOMIC_RELEASE);
	atomic_fetch_add(&s->threads_attached, 1);
	return 0;

unmap_page:
	sys_unmap(thread->page, MEMPHIS_PAGE_BYTES);
	thread->page = NULL;
detach:
	memphis_backend->request(MEMPHIS_IOC_DETACH, &thread->tid);
failed:
	if (err == -ESRCH) {
		/* Gone before we came. */
		atomic_store(&thread->ended, 1);
		return err;
	}
	thread->attachment = MEMPHIS_ATTACH_FAILED;
	thread->attach_error = err;
	atomic_fetch_add(&s->threads_unsampled, 1);
	return err;
}

/* The device has no room for one more thread, or not for its ring. */
static int is_full(int err)
{
	return err == -EDQUOT || err == -ENOSPC;
}

/* One line for the first thread that could not be attached while others could. */
static void tell_unsampled(struct memphis_session *s, const struct memphis_thread *thread)
{
	if (thread->attachment != MEMPHIS_ATTACH_FAILED || s->unsampled_told)
		return;
	if (s->other && thread->attach_error == -EEXIST)
		return; /* said by whoever watches: all threads have it */
	s->unsampled_told = 1;
	memphis_say("memphis: thread %d is not sampled: %s; %s\n", (int)thread->tid,
		    strerror(-thread->attach_error), memphis_backend_remedy(-thread->attach_error));
}

void memphis_attach_new(pid_t tid)
{
	struct memphis_thread *thread;

	if (tid <= 0 || tid == memphis_drain_tid() || tid == memphis_counters_tid())
		return;
	thread = memphis_thread_find(tid);
	if (thread && thread->attachment == MEMPHIS_UNATTACHED && memphis_attach(thread))
		tell_unsampled(&memphis_session, thread);
}

int memphis_attach_wanted(void)
{
	return atomic_load(&memphis_session.attaching);
}

/* 1: there is no room, which may change. */
static int attach_once(struct memphis_session *s, struct memphis_thread *self, int last)
{
	int again = 0;

	pthread_mutex_lock(&s->lock);
	if (s->state == MEMPHIS_SESSION_READY && self->attachment <= MEMPHIS_ATTACH_WAITS &&
	    s->pid == getpid() && memphis_attach(self)) {
		again = is_full(self->attach_error) && !last;
		if (again) {
			self->attachment = MEMPHIS_ATTACH_WAITS;
			self->attach_error = 0;
			atomic_fetch_sub(&s->threads_unsampled, 1);
		} else {
			tell_unsampled(s, self);
		}
	}
	pthread_mutex_unlock(&s->lock);
	return again;
}

/* Threads that have ended keep their room until the drain has come by. */
void memphis_attach_self(void)
{
	struct memphis_session *s = &memphis_session;
	struct memphis_thread *self = memphis_self;
	int cancel, tries = 0;

	if (!self || !atomic_load(&s->attaching))
		return;
	cancel = memphis_enter();
	while (attach_once(s, self, tries == RECLAIM_TRIES)) {
		tries++;
		/* Without the drain the next try is the last: one way or the other, the thread is told of. */
		if (memphis_drain_request(MEMPHIS_DRAIN_NOW, RECLAIM_MS))
			tries = RECLAIM_TRIES;
	}
	memphis_leave(cancel);
}

int memphis_attach_retire(struct memphis_thread *thread)
{
	struct memphis_session *s = &memphis_session;
	int known;

	if (pthread_mutex_trylock(&s->lock))
		return -EBUSY;
	known = s->state != MEMPHIS_SESSION_FRESH;
	if (!known)
		memphis_thread_retire(thread);
	pthread_mutex_unlock(&s->lock);
	return known ? -EBUSY : 0;
}

void memphis_detach(struct memphis_thread *thread)
{
	const struct memphis_status *status = thread->status;
	struct memphis_control *page = thread->page;

	if (!status)
		return;
	atomic_store(&thread->log, NULL);
	memphis_backend->request(MEMPHIS_IOC_DETACH, &thread->tid);
	/* Whoever searches the list looks at the status. */
	memphis_thread_pause();
	thread->page = NULL;
	thread->status = NULL;
	memphis_thread_resume();
	memphis_sample_epoch_pause();
	sys_unmap(status, thread->ring_bytes);
	memphis_sample_epoch_resume();
	/* A thread that goes on may be about to write its region there. */
	if (atomic_load(&thread->control) == page)
		sys_unmap(page, MEMPHIS_PAGE_BYTES);
	else
		sys_unmap_in_use(page, MEMPHIS_PAGE_BYTES);
}
