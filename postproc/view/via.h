/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds how a line of the program reached a sampled instruction in a library. */
#ifndef MEMPHIS_VIA_H
#define MEMPHIS_VIA_H

#include "profile/profile.h"

/*
 * Returns the call chain through which the instruction was reached. Returns NULL if it has no chain, or if its chain
 * is unknown.
 */
const struct memphis_chain *memphis_known_chain(const struct memphis_profile *profile, uint32_t instruction);

/*
 * Returns the name of the function that contains the sampled instruction, for example "memcpy". If the name is
 * unknown, returns the file name of the library. The text belongs to the profile.
 */
const char *memphis_leaf_function(const struct memphis_profile *profile, uint32_t instruction);

/*
 * Returns the name by which the innermost call calls a copy function of the C library, as a string of the profile. In
 * the C library, memcpy(), memmove() and mempcpy() are the same function, so that its own name does not show which one
 * was called. Returns 0 if the instruction is not in this function, or if the name in the call is unknown.
 */
uint32_t memphis_copied_by(const struct memphis_profile *profile, uint32_t instruction);

/*
 * Returns the library function that the program's line called to reach the sampled instruction, for example
 * "MPI_Sendrecv". The name is that in the program's code, if it is known. If the function is from a system header and
 * was inlined, the name is for example "std::sort<...>(...)". Returns NULL if the instruction belongs to the line
 * itself, or if its callers are unknown.
 */
const char *memphis_via(const struct memphis_profile *profile, uint32_t instruction);

#endif
