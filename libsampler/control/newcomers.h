/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads of the process that are not attached yet and won't see to it themselves: made without the library's
 * pthread_create(), or before the library was there.
 */
#ifndef MEMPHIS_NEWCOMERS_H
#define MEMPHIS_NEWCOMERS_H

#include "base/sys.h"

/*
 * Find and attach them. `all`: each thread that is there by now; otherwise some may have to wait for one of the next
 * calls, where the system has no cheap way to tell them. Takes microseconds while nobody has made a task since the last call,
 * however many threads there are. The session's lock is held.
 */
void memphis_newcomers_attach(bool all);

/* Before each pass over the rings: attach newcomers, if sampling is on and the session's lock is free. */
void memphis_newcomers_pass(void);

/* Start anew: another process, or the end of the session. */
void memphis_newcomers_forget(void);

#endif
