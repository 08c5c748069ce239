/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds instructions to the profile with their functions and source lines, and the objects (binaries) that contain them. */
#ifndef MEMPHIS_INSTRUCTIONS_H
#define MEMPHIS_INSTRUCTIONS_H

#include "attribute/join.h"
#include "profile/profile.h"

/*
 * Adds an object with the current state of the binary, or updates the object if the profile has it. Path and
 * build-id identify an object. Returns its index, or MEMPHIS_NONE if memory is exhausted.
 */
uint32_t memphis_instructions_add_object(struct memphis_profile *profile,
					 const struct memphis_binary *binary);

/*
 * Returns the index of the instruction in the profile, or MEMPHIS_NONE if memory is exhausted. `pc` is a
 * link-time address in the binary `code` (or MEMPHIS_NO_BINARY). `chain` is the row of its callers, or
 * MEMPHIS_NONE.
 */
uint32_t memphis_instructions_add(struct memphis_profile *profile, uint32_t code, uint64_t pc,
				  uint32_t chain);

/*
 * ---- call chains: the chains from the sample files are checked, and then added with their source lines ----
 */

/* Cache of the chains that were checked. The key contains the function of the sample. */
struct memphis_checked_chains {
	struct memphis_strings keys; /* keys are numbered from 1; key n belongs to rows[n - 1] */
	uint32_t *rows;
	size_t room;
};

/*
 * Finds the profile's call chain for a sample at `pc`, a link-time address in the binary `code` (or
 * MEMPHIS_NO_BINARY). `callers` is the number of the sample's callers (see read/callers.h). Sets *row to the
 * row of the chain, or to MEMPHIS_NONE if the sample has no chain. Returns 0 or -ENOMEM.
 */
int memphis_chain_find_row(struct memphis_checked_chains *checked, struct memphis_join *join, uint32_t code,
			   uint64_t pc, uint32_t callers, uint32_t *row);
void memphis_checked_chains_close(struct memphis_checked_chains *checked);

#endif
