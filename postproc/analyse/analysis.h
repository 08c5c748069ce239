/* SPDX-License-Identifier: BSD-3-Clause */
/* The pipeline from sample files to a profile. */
#ifndef MEMPHIS_ANALYSIS_H
#define MEMPHIS_ANALYSIS_H

#include "profile/profile.h"

/* How sample files are reduced to a profile. */
struct memphis_reduction {
	char **binaries,
		**sources; /* directories that are searched for binaries and for source files; owned by the caller */
	size_t binary_count, source_count;
	unsigned int jobs; /* threads; 0: one per CPU */
};

/*
 * Fills `profile`, which is empty, from the sample files and directories at `paths`. 0, or a negative errno with *error; close the
 * profile in either case. Afterwards the profile refers to no file any more.
 */
int memphis_analyse(struct memphis_profile *profile, char *const *paths, size_t count,
		    const struct memphis_selection *selection, const struct memphis_reduction *how,
		    struct memphis_error *error);

#endif
