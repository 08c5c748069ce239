/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collects owners that have no number yet when the second pass finds them. The first pass numbers only the owners of
 * selected samples. If remote accesses are selected, for example, a block that only its own node uses has no number.
 * Each worker lists the owners that it finds. After all samples are read, each owner is named once.
 */
#ifndef MEMPHIS_MET_OWNERS_H
#define MEMPHIS_MET_OWNERS_H

#include "name/reduce.h"

/*
 * Maximum number of owners that are named per process. Those with the most samples are named, and the others are
 * ignored, because naming an owner takes longer than reading its samples.
 */
#define MEMPHIS_MET_NAMED 20000

struct memphis_met_owner {
	struct memphis_owner owner;
	uint64_t samples;
	uint32_t number; /* number in memphis_owner_numbers, or MEMPHIS_NONE if the owner was not named */
};

struct memphis_met_owners {
	struct memphis_strings keys; /* the number of a key, minus 1, is its index in `list` */
	struct memphis_met_owner *list;
	size_t count, room;
};

/* Returns the index of the owner in the list. Adds it if it is new. Returns MEMPHIS_NONE if memory is exhausted. */
uint32_t memphis_met_owner(struct memphis_met_owners *met, const struct memphis_owner *owner);

/*
 * Names the owners of all lists and gives them numbers. Skips owners of kind MEMPHIS_OWNER_NEAR, which have no name.
 * Returns 0 or -ENOMEM.
 */
int memphis_met_owners_name(struct memphis_met_owners **lists, size_t count, struct memphis_namer *namer,
			    struct memphis_owner_numbers *numbers);
void memphis_met_owners_close(struct memphis_met_owners *met);

#endif
