/* SPDX-License-Identifier: BSD-3-Clause */
/* The CPU of this machine: its model, and the reason why it can't be sampled. */
#ifndef MEMPHIS_LIB_PART_H
#define MEMPHIS_LIB_PART_H

#include <stdbool.h>
#include <stddef.h>

#include "decode/model.h"

struct memphis_cpu_part memphis_part(void);

/*
 * Returns true if perf samples loads by the event that the decoder knows, as far as files show. Intel only. Does not
 * allocate.
 */
bool memphis_part_has_load_latency(void);

/*
 * Writes why perf can't sample this CPU: its name, what is missing, and what helps. `err` is the error (positive) with which perf refused
 * an event of load latency, or 0 if none was tried.
 */
void memphis_part_refusal(int err, char *text, size_t bytes);

/*
 * Returns true if the module would refuse this CPU, as far as CPUID and perf's files show; and writes the reason
 * as memphis_part_refusal() does.
 */
bool memphis_part_module_refuses(char *text, size_t bytes);

#endif
