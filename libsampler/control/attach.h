/* SPDX-License-Identifier: BSD-3-Clause */
/* Attachment of threads: by tid, or by the threads themselves when they start. */
#ifndef MEMPHIS_ATTACH_H
#define MEMPHIS_ATTACH_H

#include "core/session.h"

/*
 * Attaches the thread with this tid, unless it is attached already or belongs to the library. The caller
 * holds the session's lock.
 */
void memphis_attach_new(pid_t tid);

/*
 * memphis_attach_wanted() returns 1 if a thread that starts now must call memphis_attach_self(), which
 * attaches the calling thread.
 */
int memphis_attach_wanted(void);
void memphis_attach_self(void);

/*
 * Retires the record of a thread that ends without unread events. Returns 0, or -EBUSY if a session was
 * opened already or its lock is in use.
 */
int memphis_attach_retire(struct memphis_thread_record *thread);

/* Called when a thread ends: requests a pass of the drain if many have ended, so that new threads use their memory again. */
void memphis_attach_ended(void);

#endif
