/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Combines the inputs of a command into one profile. The inputs may be any mixture of sample files, .mprof
 * files, and directories that contain either.
 */
#ifndef MEMPHIS_INPUTS_H
#define MEMPHIS_INPUTS_H

#include "analyse/analysis.h"
#include "base/text.h"

/*
 * Reads the inputs. Analyses sample files as specified by `how`, loads .mprof files, and merges everything.
 * For a directory, reads all its sample files or, if it has none, all its .mprof files. Sorts the profile
 * (memphis_profile_order()). Returns 0, or a negative errno with a message in *error. The caller must close
 * the profile in both cases.
 */
int memphis_inputs_open(struct memphis_profile *profile, char *const *paths, size_t count,
			const struct memphis_selection *selection, const struct memphis_reduction *how,
			struct memphis_error *error);

/* Part number `number` of `of` parts of the .mprof files. The files are sorted by path and assigned to the parts in turn. */
struct memphis_inputs_part {
	unsigned int number, of;
};

/*
 * Merges one part of the .mprof files without filtering, with up to `jobs` threads (0: one per CPU).
 * Otherwise works like memphis_inputs_open(). If the part has no files, the profile is empty. If all files of
 * the part are damaged, the profile has no processes, but counts its damaged files.
 */
int memphis_inputs_merge(struct memphis_profile *profile, char *const *paths, size_t count,
			 struct memphis_inputs_part part, unsigned int jobs, struct memphis_error *error);

/*
 * Appends notes about the empty files and directories, and the damaged profiles, that were skipped, and about
 * condensed processes.
 */
void memphis_inputs_put_notes(const struct memphis_profile *profile, struct memphis_text *text);

#endif
