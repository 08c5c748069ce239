/* SPDX-License-Identifier: BSD-3-Clause */
/* Changes of what the process may do, which the companions follow. */
#ifndef MEMPHIS_CREDENTIALS_H
#define MEMPHIS_CREDENTIALS_H

/*
 * Called before the program makes one of these system calls: setuid() and others, capset(), prctl(), seccomp(). The companions make it
 * first, since afterwards the program may have no right to send them signals. Before a filter of system calls, the files are finished. Has no
 * effect with other numbers, and other options of prctl(). Waits for the companions.
 */
void memphis_credentials_change(long number, const long arguments[6]);

#endif
