/* SPDX-License-Identifier: BSD-3-Clause */
/* Recognizes code of the C library and of compilers' runtimes. */
#ifndef MEMPHIS_SYSTEM_LIBRARIES_H
#define MEMPHIS_SYSTEM_LIBRARIES_H

#include "profile/profile.h"

/*
 * Returns whether the instruction is in the C library or a compiler's runtime, whose lines a program cannot
 * change.
 */
bool memphis_in_system_library(const struct memphis_profile *profile, uint32_t instruction);

/*
 * Finds the public name of an internal function such as __memset_avx2_unaligned_erms; false if it is unknown.
 */
bool memphis_libc_function(const char *symbol, char *name, size_t bytes);

#endif
