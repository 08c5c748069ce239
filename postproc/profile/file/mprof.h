/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles as files, *.mprof; the format is defined by mprof.proto and docs/mprof.md. */
#ifndef MEMPHIS_MPROF_H
#define MEMPHIS_MPROF_H

#include <stdbool.h>

#include "base/error.h"
#include "profile/profile.h"

#define MEMPHIS_PROFILE_SUFFIX ".mprof"

/* Does the file exist and begin as a .mprof file, of whatever version and whether complete or not? */
bool memphis_mprof_is(const char *path);

/*
 * Adds the profile in the file to `profile`, like memphis_profile_merge(); an empty `profile` becomes equal to the saved one. Nothing in
 * the file is trusted. 0, or a negative errno with *error; after a failure `profile` can only be closed.
 */
int memphis_mprof_load(struct memphis_profile *profile, const char *path, struct memphis_error *error);

/*
 * Saves the profile; the file appears complete or not at all. Equal profiles give equal files if memphis_profile_order() has sorted them.
 * 0, or a negative errno with *error.
 */
int memphis_mprof_save(const struct memphis_profile *profile, const char *path, struct memphis_error *error);

#endif
