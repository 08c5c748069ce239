/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Progress of reading sample files: one line on standard error if that is a terminal, shown after one second
 * and erased at the end. At most one progress line per process.
 */
#ifndef MEMPHIS_PROGRESS_H
#define MEMPHIS_PROGRESS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Starts counting the bytes of these files; a directory stands for its sample files. Does nothing without a
 * terminal.
 */
void memphis_progress_begin(char *const *paths, size_t count);

/* Names the step after reading; `what` must remain valid. */
void memphis_progress_stage(const char *what);

/* Erases the line. Call before printing anything else. */
void memphis_progress_end(void);

/* Counts bytes read; callable from any thread at the cost of one atomic addition. */
extern uint64_t memphis_progress_bytes;
static inline void memphis_progress_add(uint64_t bytes)
{
	__atomic_fetch_add(&memphis_progress_bytes, bytes, __ATOMIC_RELAXED);
}

#endif
