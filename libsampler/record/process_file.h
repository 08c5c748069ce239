/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The process's file: settings, maps, regions, counters, holders of blocks, and what was left out. Used by the drain
 * alone, but for what is marked. The file itself is made by memphis_output_process_file().
 */
#ifndef MEMPHIS_PROCESS_FILE_H
#define MEMPHIS_PROCESS_FILE_H

/* A session begins: nothing is written. */
void memphis_process_file_open(void);

/*
 * Write what has become known or has changed: settings and topology (once), maps, regions, counters. `what`: MEMPHIS_DRAIN_*
 */
void memphis_process_file_metadata(unsigned int what);

/* Write the settings that change while the process is sampled. `what`: MEMPHIS_DRAIN_* */
void memphis_process_file_activity(unsigned int what);

/* Write the counts of what was left out, if they have changed. */
void memphis_process_file_losses(void);

/* Search static memory for pointers to blocks, and write them. */
void memphis_process_file_holders(void);

/* Any thread, of a session that does not watch another process: have objects come or gone since the last list of maps? */
int memphis_process_file_lacks_maps(void);

#endif
