/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Identifies the object whose allocator the program uses, and the calls of the allocator that the library
 * can't see.
 */
#ifndef MEMPHIS_ALLOCATOR_H
#define MEMPHIS_ALLOCATOR_H

#include "base/text.h"

/*
 * Returns 1 if blocks can be tracked: the library is the first to receive the program's calls, and malloc()
 * and malloc_usable_size() belong to the same allocator. To be called after memphis_next_setup(). Does not
 * allocate, so it can be called from the interposed malloc().
 */
int memphis_allocator_can_be_tracked(void);

/* Appends lines of SETTINGS: the object of the allocator and, if its blocks are not tracked, why not. */
void memphis_allocator_metadata(struct memphis_text_buffer *text);

#endif
