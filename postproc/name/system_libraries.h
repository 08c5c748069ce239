/* SPDX-License-Identifier: BSD-3-Clause */
/* Code of the C library and of compilers' runtimes. */
#ifndef MEMPHIS_SYSTEM_LIBRARIES_H
#define MEMPHIS_SYSTEM_LIBRARIES_H

#include "profile/profile.h"

/* Is it code of the C library or of a compiler's runtime? Its lines are nothing that a program can change. */
bool memphis_in_system_library(const struct memphis_profile *profile, uint32_t instruction);

/* The name by which programs call what the C library has as __memset_avx2_unaligned_erms: false where it is not known. */
bool memphis_libc_function(const char *symbol, char *name, size_t bytes);

#endif
