/* SPDX-License-Identifier: BSD-3-Clause */
/* Saves and loads the counters and gauges that were read while a process was sampled. */
#ifndef MEMPHIS_MPROF_COUNTERS_H
#define MEMPHIS_MPROF_COUNTERS_H

#include "profile/file/reader.h"

struct memphis_counters;

/* Writes one record per metric, or none if `counters` is NULL. Returns 0, or a negative errno with a message in *error. */
int mprof_put_counters(struct mprof_output *output, const struct memphis_counters *counters,
		       struct memphis_error *error);

/* Loads one record. Returns 0, or -ENOMEM or -EBADMSG with a message in *reader->error. */
int mprof_load_metric(struct mprof_reader *reader, const Mprof__Record *record);

#endif
