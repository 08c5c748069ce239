/* SPDX-License-Identifier: BSD-3-Clause */
/* Joins the samples of all thread files with their owners, several files or parts of files at a time. */
#ifndef MEMPHIS_JOIN_WORKERS_H
#define MEMPHIS_JOIN_WORKERS_H

#include "attribute/join.h"

/*
 * Counts all samples, with up to `jobs` threads (0: one per CPU), into join->counts and the profile's totals and timelines; counts
 * thread->read, ->selected and ->own. 0, or a negative errno with *error.
 */
int memphis_join_run(struct memphis_join *join, unsigned int jobs, struct memphis_error *error);

#endif
