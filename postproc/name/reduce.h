/* SPDX-License-Identifier: BSD-3-Clause */
/* From what the join counted to a profile: owners get names, instructions get lines. */
#ifndef MEMPHIS_REDUCE_H
#define MEMPHIS_REDUCE_H

#include "name/names.h"
#include "profile/profile.h"

/* Which variable of the profile each owner became. */
struct memphis_owner_numbers {
	struct memphis_strings keys; /* number - 1: place in the lists */
	struct memphis_owner *owners;
	uint32_t *variables;
	size_t count, owner_room, variable_room;
};

/* Place of the owner in the lists, MEMPHIS_NONE if it is not there. */
uint32_t memphis_owner_number(const struct memphis_owner_numbers *numbers, const struct memphis_owner *owner);

/* Adds namer->join's counts, by name, to its profile. 0 or -ENOMEM. Close the numbers in either case. */
int memphis_reduce(struct memphis_namer *namer, struct memphis_owner_numbers *numbers);
void memphis_owner_numbers_close(struct memphis_owner_numbers *numbers);

/* The instruction of the profile at `pc`, as addresses of `code` are linked (a binary, or MEMPHIS_NO_BINARY); MEMPHIS_NONE without memory. */
uint32_t memphis_reduce_instruction(struct memphis_profile *profile, uint32_t code, uint64_t pc);

#endif
