/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Newcomers: threads that don't attach themselves, as they were created without the library's pthread_create(), or before
 * the library was loaded.
 */
#ifndef MEMPHIS_NEWCOMERS_H
#define MEMPHIS_NEWCOMERS_H

#include "base/sys.h"

/*
 * Find and attach newcomers. With `all`, every thread that exists by now; otherwise some may be found by a later call only,
 * where the system has no cheap way to find them. If no task was created in the system since the last call, this takes
 * microseconds, however many threads the process has. Under the session's lock.
 */
void memphis_newcomers_attach(bool all);

/* Before each pass over the rings: attach newcomers, if sampling is on and the session's lock is free. */
void memphis_newcomers_pass(void);

/* Forget what is known: this is another process, or the session has ended. */
void memphis_newcomers_forget(void);

#endif
