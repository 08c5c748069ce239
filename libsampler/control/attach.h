/* SPDX-License-Identifier: BSD-3-Clause */
/* Attachment of threads: by tid, or by the threads themselves when they start. */
#ifndef MEMPHIS_ATTACH_H
#define MEMPHIS_ATTACH_H

#include "base/sys.h"
#include "core/session.h"

/*
 * Attaches the thread with this tid, unless it is already attached or belongs to the library. The caller
 * holds the session's lock.
 */
void memphis_attach_new(pid_t tid);

/*
 * memphis_attach_wanted() returns 1 if threads that start now must call memphis_attach_self(). That function
 * attaches the calling thread.
 */
int memphis_attach_wanted(void);
void memphis_attach_self(void);

/*
 * Retires the record of a thread that ends without unread events. Returns 0, or -EBUSY if a session was
 * already opened or its lock is in use.
 */
int memphis_attach_retire(struct memphis_thread_record *thread);

/*
 * Called when a thread ends. Requests a pass of the drain if many threads have ended, so that new threads can
 * reuse their memory.
 */
void memphis_attach_ended(void);

/*
 * Newcomers are threads that don't attach themselves, because they were created before the library was
 * loaded, or without the library's pthread_create().
 */

/*
 * Finds and attaches newcomers. With `all`, finds every thread that exists. Without `all`, may leave some
 * threads to a later call if the system has no cheap way to find them. If no task was created in the system
 * since the last call, the call takes microseconds, however many threads the process has. The caller holds
 * the session's lock.
 */
void memphis_newcomers_attach(bool all);

/*
 * Called before each pass over the rings. If sampling is on and the session's lock is free, attaches newcomers, and
 * refreshes the region of their samples (core/stamp.h).
 */
void memphis_newcomers_pass(void);

/* Forgets all known threads, because this is a forked child or the session has ended. */
void memphis_newcomers_forget(void);

#endif
