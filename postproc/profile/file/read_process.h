/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads the records of processes and threads. */
#ifndef MEMPHIS_MPROF_READ_PROCESS_H
#define MEMPHIS_MPROF_READ_PROCESS_H

#include "profile/file/reader.h"

/* Each function loads one record. Returns 0, or -ENOMEM or -EBADMSG with a message in *reader->error. */
int mprof_load_process(struct mprof_reader *reader, const Mprof__Record *record);
int mprof_load_threads(struct mprof_reader *reader, const Mprof__Record *record);

/*
 * Frees unused memory of the last process, once it is complete. This matters because a profile may have thousands of
 * processes.
 */
void mprof_trim_process(struct mprof_reader *reader);

#endif
