/* SPDX-License-Identifier: BSD-3-Clause */
/* How a line of the program reached a sampled instruction in a library. */
#ifndef MEMPHIS_VIA_H
#define MEMPHIS_VIA_H

#include "profile/profile.h"

/* Returns the chain by which the instruction was reached. Returns NULL if it has no chain, or the chain is unknown. */
const struct memphis_chain *memphis_known_chain(const struct memphis_profile *profile, uint32_t instruction);

/*
 * Returns the name of the function that contains the sampled instruction, such as "memcpy", else the file name of its library.
 * The text belongs to the profile.
 */
const char *memphis_leaf_function(const struct memphis_profile *profile, uint32_t instruction);

/*
 * memcpy(), memmove() and mempcpy() are one function of the C library. If the instruction is in this function, returns the name by which the
 * innermost call calls it: a string of the profile, or 0 if the name is not known.
 */
uint32_t memphis_copied_by(const struct memphis_profile *profile, uint32_t instruction);

/*
 * Returns the library function that the program's line called to reach the sampled instruction, such as "MPI_Sendrecv". It is the name in the
 * program's code, if this is known; or "std::sort<...>(...)", if the function comes from a system header and was inlined. Returns NULL if the
 * instruction belongs to the line itself, or if its callers are not known.
 */
const char *memphis_via(const struct memphis_profile *profile, uint32_t instruction);

#endif
