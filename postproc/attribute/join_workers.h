/* SPDX-License-Identifier: BSD-3-Clause */
/* Attributes the samples of all thread files to their owners, reading several files or parts of files in parallel. */
#ifndef MEMPHIS_JOIN_WORKERS_H
#define MEMPHIS_JOIN_WORKERS_H

#include "attribute/join.h"

/*
 * Counts all samples, with processes->jobs threads. Adds the results to join->counts, to the profile's totals
 * and timelines, and to the members of memphis_thread that the join counts. Returns 0, or a negative errno
 * with a message in *error.
 */
int memphis_join_run(struct memphis_join *join, struct memphis_error *error);

#endif
