/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory for a moment, in place of arrays on the stack of the program's threads: the library runs in coroutines and signal handlers that have no more
 * than they need for themselves.
 */
#ifndef MEMPHIS_SCRATCH_H
#define MEMPHIS_SCRATCH_H

#define MEMPHIS_SCRATCH_BYTES 4096

/*
 * Returns memory for the caller alone, with any contents; NULL if memory is exhausted. Callable by any thread, lock-free, async-signal-safe. What is
 * held when the process forks, or when a signal handler leaves the caller by longjmp(), is not used again.
 */
char *memphis_scratch_take(void);

/* Gives the memory back. */
void memphis_scratch_give(char *memory);

#endif
