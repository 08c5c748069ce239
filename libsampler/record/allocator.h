/* SPDX-License-Identifier: BSD-3-Clause */
/* Whose allocator the program has, and what of it the library can't see. */
#ifndef MEMPHIS_ALLOCATOR_H
#define MEMPHIS_ALLOCATOR_H

#include "base/text.h"

/*
 * Whether blocks can be tracked: the program's calls come to the library first, and one allocator has made each block that
 * it is asked the size of. After memphis_next_setup(); safe below malloc().
 */
int memphis_allocator_can_be_tracked(void);

/* Part of SETTINGS: which one it is, and why its blocks are not tracked. */
void memphis_allocator_metadata(struct memphis_text *text);

#endif
