/* SPDX-License-Identifier: BSD-3-Clause */
/* Attachment of a thread to the backend: its control page and its ring. */
#ifndef MEMPHIS_ATTACHMENT_H
#define MEMPHIS_ATTACHMENT_H

#include "core/session.h"
#include "core/thread.h"

/*
 * Attaches the thread. The caller holds the session's lock. Returns 0 or -errno; errors other than -ESRCH are
 * also stored in the record.
 */
int memphis_attach(struct memphis_thread_record *thread);

/*
 * Tells the backend the bounds of the thread's stack, if they have become known or have changed. The thread must be attached; for the drain, and
 * for memphis_attach().
 */
void memphis_attachment_bounds(struct memphis_thread_record *thread);

/* Detaches a thread that has ended and whose ring has been drained. The caller holds the session's lock. */
void memphis_detach(struct memphis_thread_record *thread);

#endif
