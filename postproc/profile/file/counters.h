/* SPDX-License-Identifier: BSD-3-Clause */
/* Saves and loads the counters and gauges that were read around the samples of a process. */
#ifndef MEMPHIS_MPROF_CONTEXT_H
#define MEMPHIS_MPROF_CONTEXT_H

#include "profile/file/reader.h"

struct memphis_counters;

/* Writes one record per metric; none if `counters` is NULL. 0, or a negative errno with *error. */
int mprof_put_counters(struct mprof_output *output, const struct memphis_counters *counters,
		       struct memphis_error *error);

/* Loads one record. 0, or with *reader->error -ENOMEM or -EBADMSG. */
int mprof_load_metric(struct mprof_reader *reader, const Mprof__Record *record);

#endif
