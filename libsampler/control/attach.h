/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads and the device: attached when sampling starts or they do, let go of when they have ended. */
#ifndef MEMPHIS_ATTACH_H
#define MEMPHIS_ATTACH_H

#include "core/session.h"

/* Attach the process's thread of that tid, if it is not yet; the session's lock is held. */
void memphis_attach_new(pid_t tid);

/* Does a thread that starts now have to attach itself? Then it does so by memphis_attach_self(). */
int memphis_attach_wanted(void);
void memphis_attach_self(void);

/* The calling thread ends, and left nothing: retire its record if no session knows it. 0 if so. */
int memphis_attach_retire(struct memphis_thread *thread);

#endif
