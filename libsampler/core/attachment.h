/* SPDX-License-Identifier: BSD-3-Clause */
/* One thread's attachment to the backend: its control page and its ring. */
#ifndef MEMPHIS_ATTACHMENT_H
#define MEMPHIS_ATTACHMENT_H

#include "core/session.h"

/* Attach the thread. Under the session's lock. 0 or -errno, which the record keeps as well. */
int memphis_attach(struct memphis_thread *thread);

/* Detach a thread that has ended and is drained. Under the session's lock. */
void memphis_detach(struct memphis_thread *thread);

#endif
