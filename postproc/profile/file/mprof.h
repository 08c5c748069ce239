/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles as files: *.mprof, laid out by mprof.proto and docs/mprof.md. */
#ifndef MEMPHIS_MPROF_H
#define MEMPHIS_MPROF_H

#include <stdbool.h>

#include "base/error.h"
#include "profile/profile.h"

#define MEMPHIS_PROFILE_SUFFIX ".mprof"

/* Is there a file of profiles of this name, of whatever version, whole or not? */
bool memphis_mprof_is(const char *path);

/*
 * Adds the profile in the file to `profile`, as memphis_profile_merge() would: an empty one is what it was when it was saved. After a
 * failure `profile` can only be closed. 0 or a negative errno.
 */
int memphis_mprof_load(struct memphis_profile *profile, const char *path, struct memphis_error *error);

/* The file appears whole, or not at all. What memphis_profile_order() has brought into order gives equal files if it is equal. */
int memphis_mprof_save(const struct memphis_profile *profile, const char *path, struct memphis_error *error);

#endif
