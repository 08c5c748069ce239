/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contents of the process file: settings, maps, regions, counters, holders of blocks, and counts of dropped
 * records. Used by the drain only, unless marked otherwise. memphis_output_process_file() creates the file.
 */
#ifndef MEMPHIS_PROCESS_FILE_H
#define MEMPHIS_PROCESS_FILE_H

#include <linux/types.h>

/* Resets the state for a new session. */
void memphis_process_file_open(void);

/*
 * Writes metadata that is new or has changed: settings and topology (once), maps, regions and counters.
 * `what`: MEMPHIS_DRAIN_*.
 */
void memphis_process_file_metadata(unsigned int what);

/* Returns the id of the last region that the file contains. */
__u32 memphis_process_file_regions(void);

/* Writes the settings that change while the process is sampled. `what`: MEMPHIS_DRAIN_*. */
void memphis_process_file_activity(unsigned int what);

/* Writes the number of threads without data, if it has changed and it is time or `now`. */
void memphis_process_file_threads(int now);

/* Writes the counts of dropped records, if they have changed. */
void memphis_process_file_losses(void);

/* Searches static memory for pointers to blocks, and writes the pointers found. */
void memphis_process_file_holders(void);

#endif
