/* SPDX-License-Identifier: BSD-3-Clause */
/* Saves and loads evidence. The evidence of a process is a part of the process's record. */
#ifndef MEMPHIS_MPROF_EVIDENCE_H
#define MEMPHIS_MPROF_EVIDENCE_H

#include "profile/file/reader.h"
#include "profile/finding.h"

struct mprof_evidence;

/*
 * Adds the findings to the message. Returns the memory that contains them. The caller must close it after it has
 * written the message. Returns NULL if memory is exhausted.
 */
struct mprof_evidence *mprof_put_evidence(Mprof__Process *message, const struct memphis_finding *findings,
					  size_t count);
void mprof_evidence_close(struct mprof_evidence *evidence);

/*
 * Loads the findings of a process. Does not check references to threads, because the threads follow in later records.
 * mprof_check_evidence() checks them. Returns 0, -ENOMEM or -EBADMSG.
 */
int mprof_load_evidence(struct mprof_reader *reader, const Mprof__Process *from);

/*
 * Checks the references of the evidence to threads. Must be called after the last record was loaded. Returns 0 or
 * -EBADMSG.
 */
int mprof_check_evidence(const struct mprof_reader *reader);

#endif
