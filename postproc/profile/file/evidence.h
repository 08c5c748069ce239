/* SPDX-License-Identifier: BSD-3-Clause */
/* Saves and loads evidence. The evidence of a process is part of the record of the process. */
#ifndef MEMPHIS_MPROF_EVIDENCE_H
#define MEMPHIS_MPROF_EVIDENCE_H

#include "profile/file/reader.h"
#include "profile/finding.h"

struct mprof_evidence;

/*
 * Sets the findings of the message. Returns the memory that contains them, which the caller closes after writing the message, or NULL if
 * memory is exhausted.
 */
struct mprof_evidence *mprof_put_evidence(Mprof__Process *message, const struct memphis_finding *findings,
					  size_t count);
void mprof_evidence_close(struct mprof_evidence *evidence);

/*
 * Loads the findings. Returns 0, -ENOMEM or -EBADMSG. References to threads are checked later, by mprof_check_evidence(), because the
 * threads follow in later records.
 */
int mprof_load_evidence(struct mprof_reader *reader, const Mprof__Process *from);

/* Checks the references to threads, after the last record was loaded. Returns 0 or -EBADMSG. */
int mprof_check_evidence(const struct mprof_reader *reader);

#endif
