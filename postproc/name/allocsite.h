/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the source line of an allocation from its call stack, and the variable to which the line assigns the block. */
#ifndef MEMPHIS_ALLOCSITE_H
#define MEMPHIS_ALLOCSITE_H

#include "attribute/join.h"
#include "name/site.h"
#include "source/source.h"

/*
 * Fills in *site for a call stack of the process. `table` is the table of the block that the stack has
 * allocated. Returns 0 or -ENOMEM.
 */
int memphis_alloc_site_find(struct memphis_join *join, struct memphis_sources *sources, size_t process,
			    uint32_t stack, enum memphis_block_table table, struct memphis_alloc_site *site);

#endif
