/* SPDX-License-Identifier: BSD-3-Clause */
/* Which object's allocator the program uses, and which of its calls the library can't see. */
#ifndef MEMPHIS_ALLOCATOR_H
#define MEMPHIS_ALLOCATOR_H

#include "base/text.h"

/*
 * Whether blocks can be tracked: the program's calls reach the library first, and malloc() and malloc_usable_size() belong
 * to the same allocator. After memphis_next_setup(); safe below malloc().
 */
int memphis_allocator_can_be_tracked(void);

/* Lines of SETTINGS: which object it is, and why its blocks are not tracked. */
void memphis_allocator_metadata(struct memphis_text *text);

#endif
