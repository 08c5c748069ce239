/* SPDX-License-Identifier: BSD-3-Clause */
/* The pipeline that turns sample files into a profile. */
#ifndef MEMPHIS_ANALYSIS_H
#define MEMPHIS_ANALYSIS_H

#include "profile/profile.h"

/* Options of the reduction of sample files to a profile. */
struct memphis_reduction {
	char **binaries,
		**sources; /* directories to search for binaries and source files, owned by the caller */
	size_t binary_count, source_count;
	unsigned int jobs; /* number of threads; 0: one per CPU */
	bool sharing;      /* also find out which threads share memory */
};

/*
 * Fills the empty `profile` from the sample files and directories at `paths`. Returns 0, or a negative errno with a message in *error; the
 * caller must close the profile in both cases. The finished profile does not depend on any file.
 */
int memphis_analyse(struct memphis_profile *profile, char *const *paths, size_t count,
		    const struct memphis_selection *selection, const struct memphis_reduction *how,
		    struct memphis_error *error);

#endif
