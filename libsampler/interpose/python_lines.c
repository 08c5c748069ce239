/* SPDX-License-Identifier: BSD-3-Clause */
/* Call stacks of allocations that lines of Python have caused: the numbers of the lines, and a cache of them for each thread. */
#include <memphis/format.h>

#include "base/proc.h"
#include "data/region.h"
#include "interpose/python_lines.h"

#define NO_LINE UINT32_MAX

/*
 * Returns the number of the frame's line in the list of all lines. Returns 0 if the line has no number, and
 * NO_LINE if the frame executes no line.
 */
static __u32 number_line(struct memphis_known_line *known, const struct memphis_python_frame *frame)
{
	char text[MEMPHIS_PYTHON_LINE_MAX_BYTES + 1];
	enum memphis_python_description is;

	if (likely(known->frame.code == frame->code && known->frame.offset == frame->offset &&
		   known->frame.proof == frame->proof))
		return known->number;
	is = memphis_python_describe(frame, text, sizeof(text));
	if (is == MEMPHIS_PYTHON_UNKNOWN)
		return 0;
	*known = (struct memphis_known_line){
		*frame,
		is == MEMPHIS_PYTHON_NO_LINE ? NO_LINE : memphis_name_number(&memphis_python_lines, text)};
	return known->number;
}

__attribute__((noinline)) __u32 memphis_python_add(struct memphis_thread_record *thread, __u32 native,
						   __u64 caller)
{
	struct memphis_stacks *const stacks = &thread->stacks;
	struct memphis_python_frame frames[MEMPHIS_PYTHON_FRAMES_MAX];
	__u64 words[1 + MEMPHIS_PYTHON_FRAMES_MAX] = {MEMPHIS_PC_STACK | native};
	const unsigned int count =
		native ? memphis_python_walk(frames, thread->tid == memphis_proc_pid(), caller) : 0;
	unsigned int depth = 1, i;
	__u32 number, id;

	if (!count)
		return native;
	if (!stacks->lines)
		stacks->lines = sys_map(MEMPHIS_KNOWN_LINES * sizeof(*stacks->lines));
	if (!stacks->lines)
		return native;
	for (i = 0; i < count; i++) {
		number = number_line(
			&stacks->lines[((frames[i].code >> 4 ^ frames[i].offset) * 0x9e3779b97f4a7c15u) >>
				       56],
			&frames[i]);
		_Static_assert(MEMPHIS_KNOWN_LINES == 1 << (64 - 56), "the shift yields an index");
		/* Stop here. Otherwise an outer line would appear as the line that called the allocator. */
		if (!number)
			break;
		if (number != NO_LINE)
			words[depth++] = MEMPHIS_PC_PYTHON | number;
	}
	id = depth > 1 ? memphis_stack_store(stacks, words, depth) : 0;
	return id ? id : native;
}
