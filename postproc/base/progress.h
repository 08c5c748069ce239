/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How far the reading of sample files is: one line on standard error, if that is a terminal and it takes longer than a
 * second. The line is erased at the end. One at a time in a process.
 */
#ifndef MEMPHIS_PROGRESS_H
#define MEMPHIS_PROGRESS_H

#include <stddef.h>
#include <stdint.h>

/* Begins to count bytes of these files; a directory stands for its sample files. Nothing happens without a terminal. */
void memphis_progress_begin(char *const *paths, size_t count);

/* What is done after the reading; a string that stays. */
void memphis_progress_stage(const char *what);

/* Erases the line: before anything else is printed. */
void memphis_progress_end(void);

/* Bytes that were read, by any thread. Costs an addition. */
extern uint64_t memphis_progress_bytes;
static inline void memphis_progress_add(uint64_t bytes)
{
	__atomic_fetch_add(&memphis_progress_bytes, bytes, __ATOMIC_RELAXED);
}

#endif
