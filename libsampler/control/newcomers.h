/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Newcomers: threads that don't attach themselves, because they were created before the library was loaded or
 * without the library's pthread_create().
 */
#ifndef MEMPHIS_NEWCOMERS_H
#define MEMPHIS_NEWCOMERS_H

#include "base/sys.h"

/*
 * Finds and attaches newcomers. With `all`, every thread that exists is found. Otherwise, some threads may be
 * found only by a later call, where the system offers no cheap way to find them; if no task was created in
 * the system since the last call, the call takes microseconds, however many threads the process has. The
 * caller holds the session's lock.
 */
void memphis_newcomers_attach(bool all);

/*
 * Called before each pass over the rings: attaches newcomers, if sampling is on and the session's lock is
 * free.
 */
void memphis_newcomers_pass(void);

/* Discards all knowledge of threads, because this is a forked child or the session has ended. */
void memphis_newcomers_forget(void);

#endif
