/* SPDX-License-Identifier: BSD-3-Clause */
/* Saves and loads profiles as *.mprof files. The format is defined by mprof.proto and docs/mprof.md. */
#ifndef MEMPHIS_MPROF_H
#define MEMPHIS_MPROF_H

#include <stdbool.h>

#include "base/error.h"
#include "profile/profile.h"

#define MEMPHIS_PROFILE_SUFFIX ".mprof"

/* Returns whether the file exists and begins like a .mprof file of any version. The file may be incomplete. */
bool memphis_mprof_is(const char *path);

/*
 * Adds the profile in the file to `profile`, like memphis_profile_merge(). If `profile` is empty, it becomes equal to the saved profile.
 * All contents of the file are checked. Returns 0, or a negative errno with a message in *error, -EBADMSG if the file is damaged; after a
 * failure, `profile` can only be closed.
 */
int memphis_mprof_load(struct memphis_profile *profile, const char *path, struct memphis_error *error);

/*
 * Saves the profile. The file appears either complete or not at all. Equal profiles produce identical files if they were sorted by
 * memphis_profile_order(). Returns 0, or a negative errno with a message in *error.
 */
int memphis_mprof_save(const struct memphis_profile *profile, const char *path, struct memphis_error *error);

#endif
