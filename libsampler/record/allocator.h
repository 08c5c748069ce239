/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the object (ELF file) whose allocator the program uses, and the calls of the allocator that the library can't see. */
#ifndef MEMPHIS_ALLOCATOR_H
#define MEMPHIS_ALLOCATOR_H

#include "base/text.h"

/*
 * Returns 1 if blocks can be tracked. Two conditions must hold: the program's calls reach the library first,
 * and malloc() and malloc_usable_size() belong to the same allocator. Must be called after
 * memphis_next_setup(). Does not allocate, so the interposed malloc() can call it.
 */
int memphis_allocator_can_be_tracked(void);

/* Appends two facts as lines of SETTINGS: the object of the allocator and, if its blocks are not tracked, the reason. */
void memphis_allocator_add_metadata(struct memphis_text_buffer *text);

#endif
