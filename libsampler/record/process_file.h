/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contents of the process file: settings, maps, regions, counters, holders of blocks, and counts of dropped
 * records. memphis_output_process_file() creates the file. Used by the drain only, unless marked otherwise.
 */
#ifndef MEMPHIS_PROCESS_FILE_H
#define MEMPHIS_PROCESS_FILE_H

#include <linux/types.h>

/* Resets the state for a new session. */
void memphis_process_file_open(void);

/*
 * Writes the metadata that is new or has changed: maps, regions and counters. The first call also writes
 * settings and topology. `what`: MEMPHIS_DRAIN_*.
 */
void memphis_process_file_write_metadata(unsigned int what);

/* Returns the id of the last region that the file contains. */
__u32 memphis_process_file_last_region(void);

/* Writes the settings that change while the process is sampled. `what`: MEMPHIS_DRAIN_*. */
void memphis_process_file_write_activity(unsigned int what);

/* Writes the number of threads without data if it has changed. Without `now`, writes it at most once per interval. */
void memphis_process_file_write_thread_count(int now);

/* Writes the counts of dropped records, if they have changed. */
void memphis_process_file_write_losses(void);

/* Searches static memory for pointers to blocks, and writes the pointers found. */
void memphis_process_file_search_holders(void);

#endif
