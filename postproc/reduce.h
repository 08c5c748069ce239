/* SPDX-License-Identifier: BSD-3-Clause */
/* From what the join counted to a profile: owners get names, instructions get lines. */
#ifndef MEMPHIS_REDUCE_H
#define MEMPHIS_REDUCE_H

#include "names.h"
#include "profile.h"

/* Adds namer->join's counts, by name, to its profile. 0 or -ENOMEM. */
int memphis_reduce(struct memphis_namer *namer);

/* Loads sample files, reads their samples with up to `jobs` threads and reduces them. 0 or a negative errno. */
struct memphis_reduction {
	char **binaries, **sources; /* directories; the caller's */
	size_t binary_count, source_count;
	unsigned int jobs; /* 0 = one per CPU */
};

int memphis_reduce_files(struct memphis_profile *profile, char *const *paths, size_t count,
			 const struct memphis_selection *selection, const struct memphis_reduction *how,
			 struct memphis_error *error);

#endif
