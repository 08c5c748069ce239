/* SPDX-License-Identifier: BSD-3-Clause */
/* This CPU: why perf can't sample it, with its name. */
#ifndef MEMPHIS_LIB_PART_H
#define MEMPHIS_LIB_PART_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Returns true if perf samples loads by the event that the decoder knows, as far as files show. Intel only. Does not
 * allocate.
 */
bool memphis_part_has_load_latency(void);

/*
 * Writes the CPU's name, what is missing, and what helps. `err` is the error (positive) of an event of load latency, or 0 if none
 * was tried.
 */
void memphis_part_refusal(int err, char *text, size_t bytes);

#endif
