/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Owners that the second pass finds in samples and that have no number yet, because none of their samples is selected: for example, blocks of a variable
 * that only their own node uses. Each reader lists the owners that it finds. When all samples are read, each owner is named once.
 */
#ifndef MEMPHIS_MET_OWNERS_H
#define MEMPHIS_MET_OWNERS_H

#include "name/reduce.h"

/* Maximum number of owners of a process that are named, those with most samples. To name an owner takes longer than to read its samples. */
#define MEMPHIS_MET_NAMED 20000

struct memphis_met_owner {
	struct memphis_owner owner;
	uint64_t samples;
	uint32_t number; /* in memphis_owner_numbers; MEMPHIS_NONE: not named */
};

struct memphis_met_owners {
	struct memphis_strings keys; /* number of a key minus 1 is the index in the list */
	struct memphis_met_owner *list;
	size_t count, room;
};

/* Returns the index of the owner in the list. Adds it if it is new. Returns MEMPHIS_NONE if memory is exhausted. */
uint32_t memphis_met_owner(struct memphis_met_owners *met, const struct memphis_owner *owner);

/* Names and numbers the owners of all lists. Owners of kind MEMPHIS_OWNER_NEAR have no name. Returns 0 or -ENOMEM. */
int memphis_met_owners_name(struct memphis_met_owners **lists, size_t count, struct memphis_namer *namer,
			    struct memphis_owner_numbers *numbers);
void memphis_met_owners_close(struct memphis_met_owners *met);

#endif
