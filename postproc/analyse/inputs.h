/* SPDX-License-Identifier: BSD-3-Clause */
/* What is given to a command: sample files, directories of them, profiles (.mprof), all mixed, as one profile. */
#ifndef MEMPHIS_INPUTS_H
#define MEMPHIS_INPUTS_H

#include "analyse/analysis.h"
#include "base/text.h"

/*
 * A directory stands for the sample files in it; one without these for its .mprof files. `how` is for the sample files alone. The profile
 * is in order then (profile/profile_order.h). 0 or a negative errno with *error; close it in either case.
 */
int memphis_inputs_open(struct memphis_profile *profile, char *const *paths, size_t count,
			const struct memphis_selection *selection, const struct memphis_reduction *how,
			struct memphis_error *error);

/* Profiles alone, as they are, loaded with up to `jobs` threads (0 = one per CPU). */
int memphis_inputs_merge(struct memphis_profile *profile, char *const *paths, size_t count, unsigned int jobs,
			 struct memphis_error *error);

/* One line about what was passed over because nothing is in it; or no line. */
void memphis_inputs_note(const struct memphis_profile *profile, struct memphis_text *text);

#endif
