/* SPDX-License-Identifier: BSD-3-Clause */
/* The pipeline that converts sample files to a profile. */
#ifndef MEMPHIS_ANALYSIS_H
#define MEMPHIS_ANALYSIS_H

#include "profile/profile.h"

/* Options of the reduction of sample files to a profile. */
struct memphis_reduction {
	/* directories that are searched for binaries and for source files; owned by the caller */
	char **binaries, **sources;
	size_t binary_count, source_count;
	unsigned int jobs; /* number of threads to use; 0: one per CPU */
	bool sharing;      /* also find out which threads share memory */
};

/*
 * Fills the empty `profile` from the sample files and directories at `paths`. Returns 0, or a negative errno
 * with a message in *error. The caller must close the profile in both cases. The finished profile needs no
 * file any more.
 */
int memphis_analyse(struct memphis_profile *profile, char *const *paths, size_t count,
		    const struct memphis_selection *selection, const struct memphis_reduction *how,
		    struct memphis_error *error);

#endif
