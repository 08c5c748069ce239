/* SPDX-License-Identifier: BSD-3-Clause */
/* When threads are attached: by their number, or by themselves as they start. */
#ifndef MEMPHIS_ATTACH_H
#define MEMPHIS_ATTACH_H

#include "core/session.h"

/* Attach the thread with that tid, unless it is attached or belongs to the library. Under the session's lock. */
void memphis_attach_new(pid_t tid);

/* Whether a thread that starts now has to attach itself, by memphis_attach_self(). */
int memphis_attach_wanted(void);
void memphis_attach_self(void);

/* Retire the record of a thread that ends without unread events, if no session was opened yet. 0 or -EBUSY. */
int memphis_attach_retire(struct memphis_thread *thread);

#endif
