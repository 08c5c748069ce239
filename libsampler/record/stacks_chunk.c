/* SPDX-License-Identifier: BSD-3-Clause */
/* Chunks of call stacks. */
#include <string.h>

#include <memphis/format.h>

#include "record/stacks_chunk.h"

void memphis_stacks_chunk(struct memphis_stacks *stacks, struct memphis_sample_file *file, __u16 type)
{
	struct memphis_stack_block *block, *next;

	if (!stacks->written_block)
		stacks->written_block = atomic_load_explicit(&stacks->first, memory_order_acquire);
	for (block = stacks->written_block; block; block = next) {
		__u64 used, at;
		__u32 count = 0;

		next = atomic_load_explicit(&block->next, memory_order_acquire);
		/* Read `used` after `next`: a block that has a successor is full. */
		used = atomic_load_explicit(&block->used, memory_order_acquire);
		for (at = stacks->written; at < used; count++) {
			struct memphis_stack header;

			memcpy(&header, &block->words[at], sizeof(header));
			at += 1 + header.depth;
		}
		if (count)
			memphis_file_chunk(file, type, &block->words[stacks->written],
					   8 * (used - stacks->written), count);
		stacks->written = used;
		if (!next)
			break;
		stacks->written_block = next;
		stacks->written = 0;
	}
}
