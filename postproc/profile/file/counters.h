/* SPDX-License-Identifier: BSD-3-Clause */
/* What was read around the samples of a process, in a .mprof file. */
#ifndef MEMPHIS_MPROF_CONTEXT_H
#define MEMPHIS_MPROF_CONTEXT_H

#include "profile/file/reader.h"

struct memphis_counters;

/* A record for each metric; none for NULL. 0 or a negative errno with *error. */
int mprof_put_counters(struct mprof_output *output, const struct memphis_counters *counters,
		       struct memphis_error *error);

/* Loads one record. 0, or with *reader->error -ENOMEM or -EBADMSG. */
int mprof_load_metric(struct mprof_reader *reader, const Mprof__Record *record);

#endif
