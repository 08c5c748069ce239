/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Joins recordings of processes whose allocations were recorded by the library and whose samples were taken
 * by perf (memphis-perf-data(5)).
 */
#ifndef MEMPHIS_READ_JOINED_H
#define MEMPHIS_READ_JOINED_H

#include "perfdata/convert.h"
#include "read/process.h"

/* Lists the processes that were recorded without samples. Returns 0 or -ENOMEM; *list is malloc'ed. */
int memphis_partners_list(const struct memphis_processes *processes, struct memphis_perfdata_partner **list,
			  size_t *count);

/*
 * Merges each thread that both the library and perf have recorded into one. It has perf's samples and the
 * library's other data, of which the calipers' times give the samples their regions. Returns 0, or a negative
 * errno with a message in *error.
 */
int memphis_threads_join(struct memphis_process *process, struct memphis_error *error);

#endif
