/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes whose allocations the library has recorded, and whose samples perf has taken (memphis-perf-data(5)). */
#ifndef MEMPHIS_READ_JOINED_H
#define MEMPHIS_READ_JOINED_H

#include "perfdata/convert.h"
#include "read/process.h"

/* Lists the processes that were recorded without samples. Returns 0 or -ENOMEM; *list is malloc'ed. */
int memphis_partners_list(const struct memphis_processes *processes, struct memphis_perfdata_partner **list,
			  size_t *count);

/* Makes one thread of each that both have recorded: the samples of one, and all else of the other. */
void memphis_threads_join(struct memphis_process *process);

#endif
