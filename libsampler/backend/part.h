/* SPDX-License-Identifier: BSD-3-Clause */
/* The CPU of this machine: its model, and the reason why it can't be sampled. */
#ifndef MEMPHIS_LIB_PART_H
#define MEMPHIS_LIB_PART_H

#include <stdbool.h>
#include <stddef.h>

#include "decode/model.h"

struct memphis_cpu_part memphis_part(void);

/* Returns true if files show that perf samples loads with the event that the decoder knows. Intel only. Does not allocate. */
bool memphis_part_has_load_latency(void);

/*
 * Writes why perf can't sample this CPU: the CPU's name, what is missing, and what helps. `err`: the positive
 * errno with which perf has refused an event of load latency, or 0 if none was tried.
 */
void memphis_part_refusal(int err, char *text, size_t bytes);

/*
 * Returns true if CPUID and perf's files show that the module would refuse this CPU. Then writes the reason
 * as memphis_part_refusal() does.
 */
bool memphis_part_module_refuses(char *text, size_t bytes);

#endif
