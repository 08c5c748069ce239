/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of the profile for instructions, with their functions and source lines, and for the objects that contain them. */
#ifndef MEMPHIS_INSTRUCTIONS_H
#define MEMPHIS_INSTRUCTIONS_H

#include "attribute/join.h"
#include "profile/profile.h"

/*
 * Adds an object with the current state of the binary, or updates the object if it exists: objects are
 * identified by path and build-id. Returns its index, or MEMPHIS_NONE if memory is exhausted.
 */
uint32_t memphis_profile_add_object(struct memphis_profile *profile, const struct memphis_binary *binary);

/*
 * Returns the index of the instruction in the profile. `pc` is a link-time address in the binary `code` (or
 * MEMPHIS_NO_BINARY); `chain` is the row of its callers, or MEMPHIS_NONE. Returns MEMPHIS_NONE if memory is
 * exhausted.
 */
uint32_t memphis_profile_add_instruction(struct memphis_profile *profile, uint32_t code, uint64_t pc,
					 uint32_t chain);

/* ---- chains of callers: those of the sample files are checked, and added to the profile with their source lines ---- */

/* The chains that were checked, by the function of the sample. */
struct memphis_checked_chains {
	struct memphis_strings keys; /* the number of a key minus 1 is its index in `rows` */
	uint32_t *rows;
	size_t room;
};

/*
 * Finds the profile's chain of callers for a sample at `pc`, a link-time address in the binary `code` (or MEMPHIS_NO_BINARY). `callers` is
 * the number of the sample's callers (read/callers.h). Stores the row of the chain in *row, or MEMPHIS_NONE if the sample has no chain.
 * Returns 0 or -ENOMEM.
 */
int memphis_chain_find_row(struct memphis_checked_chains *checked, struct memphis_join *join, uint32_t code,
			   uint64_t pc, uint32_t callers, uint32_t *row);
void memphis_checked_chains_close(struct memphis_checked_chains *checked);

#endif
