/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Converts the sample counts of the join to a profile. Owners (see name/names.h) get the names of variables.
 * Instructions get functions and source lines.
 */
#ifndef MEMPHIS_REDUCE_H
#define MEMPHIS_REDUCE_H

#include "name/names.h"
#include "profile/profile.h"

/* Assigns a number to each owner, and maps it to a row of profile->variables. */
struct memphis_owner_numbers {
	/* Keys are numbered from 1. Key n belongs to owners[n - 1] and variables[n - 1]. */
	struct memphis_strings keys;
	struct memphis_owner *owners;
	uint32_t *variables;
	size_t count, owner_room, variable_room;
};

/* Adds the variable to the profile, unless the profile has it. Returns its row, or MEMPHIS_NONE if memory is exhausted. */
uint32_t memphis_variable_add(struct memphis_profile *profile, const struct memphis_description *description);

/* Returns the index of the owner, or MEMPHIS_NONE if it was not added. */
uint32_t memphis_owner_number(const struct memphis_owner_numbers *numbers, const struct memphis_owner *owner);

/*
 * Adds the owner and its variable, unless the owner was added before. Returns the index of the owner, or
 * MEMPHIS_NONE if memory is exhausted.
 */
uint32_t memphis_owner_add(struct memphis_namer *namer, struct memphis_owner_numbers *numbers,
			   const struct memphis_owner *owner);

/*
 * Adds all counts of namer->join to the profile of the join. Returns 0 or -ENOMEM. The caller must close
 * `numbers` in both cases.
 */
int memphis_reduce(struct memphis_namer *namer, struct memphis_owner_numbers *numbers);
void memphis_owner_numbers_close(struct memphis_owner_numbers *numbers);

/*
 * Returns the profile's index of a sample's instruction, or MEMPHIS_NONE if memory is exhausted. `pc` is a
 * link-time address in the binary `code` (or MEMPHIS_NO_BINARY). read/callers.h describes `callers`.
 */
uint32_t memphis_reduce_instruction(struct memphis_namer *namer, uint32_t code, uint64_t pc,
				    uint32_t callers);

#endif
