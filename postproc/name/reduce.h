/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduces the counts of the join to a profile, with names for owners and source lines for instructions. */
#ifndef MEMPHIS_REDUCE_H
#define MEMPHIS_REDUCE_H

#include "name/names.h"
#include "profile/profile.h"

/* Numbers the owners, and maps each to a variable of the profile. */
struct memphis_owner_numbers {
	struct memphis_strings keys; /* number of a key minus 1 is the index in `owners` and `variables` */
	struct memphis_owner *owners;
	uint32_t *variables;
	size_t count, owner_room, variable_room;
};

/* Returns the row of the variable in the profile, to which it is added if it is new; or MEMPHIS_NONE if memory is exhausted. */
uint32_t memphis_variable_add(struct memphis_profile *profile, const struct memphis_description *description);

/* Returns the index of the owner, or MEMPHIS_NONE if it is unknown. */
uint32_t memphis_owner_number(const struct memphis_owner_numbers *numbers, const struct memphis_owner *owner);

/* Names the owner and numbers it, unless it has a number. Returns its index, or MEMPHIS_NONE if memory is exhausted. */
uint32_t memphis_owner_add(struct memphis_namer *namer, struct memphis_owner_numbers *numbers,
			   const struct memphis_owner *owner);

/*
 * Adds the counts of namer->join, by name, to the profile of the join. Returns 0 or -ENOMEM; the numbers must
 * be closed in both cases.
 */
int memphis_reduce(struct memphis_namer *namer, struct memphis_owner_numbers *numbers);
void memphis_owner_numbers_close(struct memphis_owner_numbers *numbers);

/*
 * Returns the index in the profile of a sample's instruction. `pc` is a link-time address in the binary
 * `code` (or MEMPHIS_NO_BINARY); for `callers`, see read/callers.h. Returns MEMPHIS_NONE if memory is
 * exhausted.
 */
uint32_t memphis_reduce_instruction(struct memphis_namer *namer, uint32_t code, uint64_t pc,
				    uint32_t callers);

#endif
