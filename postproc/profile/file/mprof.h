/* SPDX-License-Identifier: BSD-3-Clause */
/* Saves and loads profiles as *.mprof files. The format is defined by mprof.proto and docs/mprof.md. */
#ifndef MEMPHIS_MPROF_H
#define MEMPHIS_MPROF_H

#include <stdbool.h>

#include "base/error.h"
#include "profile/profile.h"

#define MEMPHIS_PROFILE_SUFFIX ".mprof"

/* Returns whether the file exists and begins like a .mprof file of any version. Does not check whether it is complete. */
bool memphis_mprof_is(const char *path);

/*
 * Adds the profile in the file to `profile`, as memphis_profile_merge() does. If `profile` is empty, it becomes equal
 * to the saved profile. Checks all contents of the file. Returns 0, or a negative errno with a message in *error,
 * which is -EBADMSG if the file is damaged. After a failure, the caller can only close `profile`.
 */
int memphis_mprof_load(struct memphis_profile *profile, const char *path, struct memphis_error *error);

/*
 * Saves the profile. The file appears either complete or not at all. Equal profiles produce identical files if they
 * were sorted by memphis_profile_order(). Returns 0, or a negative errno with a message in *error.
 */
int memphis_mprof_save(const struct memphis_profile *profile, const char *path, struct memphis_error *error);

#endif
