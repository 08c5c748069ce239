/* SPDX-License-Identifier: BSD-3-Clause */
/* What a process is called where there are others beside it. */
#ifndef MEMPHIS_PROCESS_NAME_H
#define MEMPHIS_PROCESS_NAME_H

#include "process.h"
#include "text.h"

/* "rank 17 on host n03", or "process 4711 on host n03" of a program without ranks. */
void memphis_process_name(struct memphis_text *text, const struct memphis_process *process);

bool memphis_process_same_host(const struct memphis_process *a, const struct memphis_process *b);

/* Are they of several hosts, each of which gives pids of its own? */
bool memphis_processes_of_hosts(const struct memphis_processes *processes);

#endif
