/* SPDX-License-Identifier: BSD-3-Clause */
/* Changes of what the process may do, which the companions follow. */
#ifndef MEMPHIS_CREDENTIALS_H
#define MEMPHIS_CREDENTIALS_H

#include <stdbool.h>
#include <unistd.h>

#include "base/sys.h"

/* The headers of some of the supported systems do not have it. */
#define MEMPHIS_SYS_LANDLOCK_RESTRICT_SELF 446

/* Returns true in the thread that the process began with. */
static inline bool memphis_is_first_thread(void)
{
	return sys_gettid() == getpid();
}

/*
 * Called before the program makes one of these system calls: setuid() and others, capset(), prctl(), seccomp(), landlock_restrict_self(). The
 * companions make it first, since afterwards the program may have no right to send them signals. Before the program confines its system
 * calls or files, the session's files are finished. Other options of prctl() and operations of seccomp() have no effect. Waits for the companions.
 * Of calls that change only the calling thread, like prctl(), those of the first thread are followed.
 */
void memphis_credentials_change(long number, const long arguments[6]);

#endif
