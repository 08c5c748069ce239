/* SPDX-License-Identifier: BSD-3-Clause */
/* Attachment of a thread to the backend: its control page and its ring. */
#ifndef MEMPHIS_ATTACHMENT_H
#define MEMPHIS_ATTACHMENT_H

#include "core/session.h"
#include "core/thread.h"

/*
 * Attaches the thread. The caller holds the session's lock. Returns 0 or -errno. Errors other than -ESRCH are
 * also stored in the record.
 */
int memphis_attach(struct memphis_thread_record *thread);

/*
 * Passes the bounds of the thread's stack to the backend if they have become known or have changed. The
 * thread must be attached. Called by the drain and by memphis_attach().
 */
void memphis_attachment_pass_bounds(struct memphis_thread_record *thread);

/* Detaches a thread that has ended and whose ring has been drained. The caller holds the session's lock. */
void memphis_detach(struct memphis_thread_record *thread);

#endif
