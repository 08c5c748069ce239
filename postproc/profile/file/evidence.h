/* SPDX-License-Identifier: BSD-3-Clause */
/* The evidence of findings in a .mprof file: it stands in the record of its process. */
#ifndef MEMPHIS_MPROF_EVIDENCE_H
#define MEMPHIS_MPROF_EVIDENCE_H

#include "profile/file/reader.h"
#include "profile/finding.h"

struct mprof_evidence;

/* Gives the message these findings. What they lie in, to be freed behind it; NULL without memory. */
struct mprof_evidence *mprof_put_evidence(Mprof__Process *message, const struct memphis_profile *profile,
					  const struct memphis_finding *findings, size_t count);
void mprof_evidence_close(struct mprof_evidence *evidence);

/* 0, -ENOMEM or -EBADMSG. Threads are not known yet where the record stands: mprof_check_evidence() looks at them, behind the last record. */
int mprof_load_evidence(struct mprof_reader *reader, const Mprof__Process *from);
int mprof_check_evidence(const struct mprof_reader *reader);

#endif
