/* SPDX-License-Identifier: BSD-3-Clause */
/* Text chunks and commits. */
#include <memphis/format.h>
#include <string.h>

#include "base/say.h"
#include "base/text.h"
#include "record/chunk.h"

MEMPHIS_AT_FORK struct memphis_text_buffer memphis_lines;

static bool has_error;

void memphis_chunk_open(void)
{
	has_error = false;
}

bool memphis_chunk_is_first_error(void)
{
	bool is_first = !has_error;

	has_error = true;
	return is_first;
}

/* Reports the file's error. Does nothing if the file already had an error `before`. */
static void report_error(const struct memphis_sample_file *file, int before)
{
	int err = file->error;

	if (!err || before || !memphis_chunk_is_first_error())
		return;
	memphis_say(
		"memphis: %s: %s at offset %llu; what stands before is complete, the rest of this file is left out\n",
		file->path ? file->path : "a thread's data", memphis_error_text(-err), file->offset);
}

void memphis_chunk_commit(struct memphis_sample_file *file)
{
	int before = file->error;

	memphis_file_commit(file);
	report_error(file, before);
}

void memphis_chunk_release(struct memphis_sample_file *to, struct memphis_sample_file *held, bool is_member)
{
	int before = to->error;

	if (is_member)
		memphis_file_release_member(to, held);
	else
		memphis_file_release(to, held);
	report_error(to, before);
}

void memphis_chunk_write_lines(struct memphis_sample_file *file, __u16 type)
{
	struct memphis_text_buffer *text = &memphis_lines;

	if (text->lines && !text->error)
		memphis_file_write_chunk(file, type, text->data, text->used, text->lines);
	memphis_text_clear(text);
}

void memphis_chunk_write_stacks(struct memphis_stacks *stacks, struct memphis_sample_file *file, __u16 type)
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
			memphis_file_write_chunk(file, type, &block->words[stacks->written],
						 8 * (used - stacks->written), count);
		stacks->written = used;
		if (!next)
			break;
		stacks->written_block = next;
		stacks->written = 0;
	}
}
