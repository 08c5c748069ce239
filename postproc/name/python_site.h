/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the Python line that names a block, from the Python lines in the call stack of the allocation. */
#ifndef MEMPHIS_PYTHON_SITE_H
#define MEMPHIS_PYTHON_SITE_H

#include "attribute/join.h"
#include "name/site.h"
#include "source/source.h"

/*
 * Fills in the place of *site, and the name if the line assigns the block to a variable. Leaves *site
 * unchanged if the stack has no Python lines. `is_map` is true if the memory was mapped, not allocated.
 */
void memphis_python_site_find(struct memphis_join *join, struct memphis_sources *sources, size_t process,
			      uint32_t stack, bool is_map, struct memphis_alloc_site *site);

#endif
