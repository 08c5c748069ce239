/* SPDX-License-Identifier: BSD-3-Clause */
/* Code of the C library and of compilers' runtimes. */
#ifndef MEMPHIS_SYSTEM_LIBRARIES_H
#define MEMPHIS_SYSTEM_LIBRARIES_H

#include "profile/profile.h"

/* Is the instruction in the C library or in a compiler's runtime? Users cannot change its lines. */
bool memphis_in_system_library(const struct memphis_profile *profile, uint32_t instruction);

/* The name by which programs call a function of the C library: "memset" for __memset_avx2_unaligned_erms. False: unknown. */
bool memphis_libc_function(const char *symbol, char *name, size_t bytes);

#endif
