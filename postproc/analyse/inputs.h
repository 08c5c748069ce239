/* SPDX-License-Identifier: BSD-3-Clause */
/* The inputs of a command, in any mixture of sample files, .mprof files and directories of either, as one profile. */
#ifndef MEMPHIS_INPUTS_H
#define MEMPHIS_INPUTS_H

#include "analyse/analysis.h"
#include "base/text.h"

/*
 * Reads the inputs: sample files are analysed as `how` says, .mprof files are loaded, and all are merged. A directory stands for its
 * sample files, or, if it has none, for its .mprof files. The profile is sorted (profile/profile_order.h). 0, or a negative errno with
 * *error; close the profile in either case.
 */
int memphis_inputs_open(struct memphis_profile *profile, char *const *paths, size_t count,
			const struct memphis_selection *selection, const struct memphis_reduction *how,
			struct memphis_error *error);

/* Merges .mprof files, unfiltered, with up to `jobs` threads (0: one per CPU). Otherwise as above. */
int memphis_inputs_merge(struct memphis_profile *profile, char *const *paths, size_t count, unsigned int jobs,
			 struct memphis_error *error);

/* Appends a line about empty files and directories that were skipped, if there were any. */
void memphis_inputs_note(const struct memphis_profile *profile, struct memphis_text *text);

#endif
