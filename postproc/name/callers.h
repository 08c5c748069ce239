/* SPDX-License-Identifier: BSD-3-Clause */
/* Chains of callers: checks those of the sample files, and adds them to the profile with their source lines. */
#ifndef MEMPHIS_NAME_CALLERS_H
#define MEMPHIS_NAME_CALLERS_H

#include "attribute/join.h"

/* The chains that were checked, by the function of the sample. */
struct memphis_checked_chains {
	struct memphis_strings keys; /* number - 1 is the index in `rows` */
	uint32_t *rows;
	size_t room;
};

/*
 * Stores in *row the profile's chain of a sample at `pc`, a link-time address in the binary `code` (or MEMPHIS_NO_BINARY), with
 * these callers (read/callers.h); MEMPHIS_NONE if it has none. Returns 0 or -ENOMEM.
 */
int memphis_chain_row(struct memphis_checked_chains *checked, struct memphis_join *join, uint32_t code,
		      uint64_t pc, uint32_t callers, uint32_t *row);
void memphis_checked_chains_close(struct memphis_checked_chains *checked);

#endif
