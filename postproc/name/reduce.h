/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduces the counts of the join to a profile: resolves owners to names and instructions to source lines. */
#ifndef MEMPHIS_REDUCE_H
#define MEMPHIS_REDUCE_H

#include "name/names.h"
#include "profile/profile.h"

/* Maps owners to variables of the profile. */
struct memphis_owner_numbers {
	struct memphis_strings keys; /* number - 1: index in `owners` and `variables` */
	struct memphis_owner *owners;
	uint32_t *variables;
	size_t count, owner_room, variable_room;
};

/* Returns the index of the owner, or MEMPHIS_NONE. */
uint32_t memphis_owner_number(const struct memphis_owner_numbers *numbers, const struct memphis_owner *owner);

/*
 * Adds the counts of namer->join, by name, to its profile. Returns 0 or -ENOMEM. Close the numbers in either
 * case.
 */
int memphis_reduce(struct memphis_namer *namer, struct memphis_owner_numbers *numbers);
void memphis_owner_numbers_close(struct memphis_owner_numbers *numbers);

/*
 * Returns the profile's instruction at `pc`, a link-time address in the binary `code` (or MEMPHIS_NO_BINARY);
 * MEMPHIS_NONE if memory runs out.
 */
uint32_t memphis_reduce_instruction(struct memphis_profile *profile, uint32_t code, uint64_t pc);

#endif
