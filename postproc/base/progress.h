/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Progress of reading sample files, shown as one line on standard error if that is a terminal. The line
 * appears after one second and is erased at the end. At most one such line per process.
 */
#ifndef MEMPHIS_PROGRESS_H
#define MEMPHIS_PROGRESS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Starts the progress line for the sample files at `paths`; for a directory, for all sample files in it.
 * Does nothing if standard error is not a terminal.
 */
void memphis_progress_begin(char *const *paths, size_t count);

/* Shows `what` as the current step, after reading has ended. The string must remain valid. */
void memphis_progress_stage(const char *what);

/* Erases the progress line. Must be called before anything else is printed. */
void memphis_progress_end(void);

/* Adds to the number of bytes read. Can be called from any thread; the cost is one atomic addition. */
extern uint64_t memphis_progress_bytes;
static inline void memphis_progress_add(uint64_t bytes)
{
	__atomic_fetch_add(&memphis_progress_bytes, bytes, __ATOMIC_RELAXED);
}

#endif
