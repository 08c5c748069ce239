/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes names of processes for reports that cover several processes. */
#ifndef MEMPHIS_PROCESS_NAME_H
#define MEMPHIS_PROCESS_NAME_H

#include "read/process.h"
#include "base/text.h"

/* Appends "rank 17 on host n03", or "process 4711 on host n03" for a program without ranks. */
void memphis_process_name(struct memphis_text *text, const struct memphis_process *process);

bool memphis_process_same_host(const struct memphis_process *a, const struct memphis_process *b);

/* Returns true if the processes ran on more than one host. A pid alone does not identify a process then. */
bool memphis_processes_of_hosts(const struct memphis_processes *processes);

#endif
