/* SPDX-License-Identifier: BSD-3-Clause */
/* Saves and loads evidence, which is part of the record of its process. */
#ifndef MEMPHIS_MPROF_EVIDENCE_H
#define MEMPHIS_MPROF_EVIDENCE_H

#include "profile/file/reader.h"
#include "profile/finding.h"

struct mprof_evidence;

/*
 * Sets the findings of the message. Returns the memory that they lie in, to be closed after the message was written; NULL without
 * memory.
 */
struct mprof_evidence *mprof_put_evidence(Mprof__Process *message, const struct memphis_profile *profile,
					  const struct memphis_finding *findings, size_t count);
void mprof_evidence_close(struct mprof_evidence *evidence);

/*
 * Loads the findings. 0, -ENOMEM or -EBADMSG. The threads follow in later records, so that mprof_check_evidence() checks references to
 * them.
 */
int mprof_load_evidence(struct mprof_reader *reader, const Mprof__Process *from);

/* To be called after the last record. 0 or -EBADMSG. */
int mprof_check_evidence(const struct mprof_reader *reader);

#endif
