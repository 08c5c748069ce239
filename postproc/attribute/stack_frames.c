// SPDX-License-Identifier: BSD-3-Clause
/* Attributes addresses on threads' stacks to frames and local variables. */
#include "attribute/stack_frames.h"

#include <string.h>

#include "dwarf/locals.h"
#include "profile/reasons.h"

struct search {
	const struct memphis_process *process;
	uint64_t time_ns, from_ns;
	const struct memphis_thread *thread;
	bool any;
};

/* Keeps the latest thread that was alive at the time: the C library reuses the stacks of threads that have ended. */
static int consider(void *context, const struct memphis_interval *interval)
{
	struct search *search = context;
	const struct memphis_thread *thread = &search->process->threads[interval->value];
	uint64_t from_ns = memphis_setting_number(&thread->metadata, "start_time_ns", 0);

	search->any = true;
	if (search->time_ns < from_ns ||
	    search->time_ns >= memphis_setting_number(&thread->metadata, "end_time_ns", UINT64_MAX) ||
	    (search->thread && from_ns < search->from_ns))
		return 0;
	search->thread = thread;
	search->from_ns = from_ns;
	return 0;
}

/* Returns the latest frames recorded up to `time_ns`, or NULL if there are none, and sets *to_ns to the end of their validity. */
static const struct memphis_stack_frames_view *frames_at(const struct memphis_thread *thread,
							 uint64_t time_ns, uint64_t *to_ns)
{
	size_t low = 0, high = thread->log->frames_count, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (thread->log->stack_frames[middle].stack_frames.time_ns <= time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	*to_ns = low < thread->log->frames_count ? thread->log->stack_frames[low].stack_frames.time_ns
						 : UINT64_MAX;
	return low ? &thread->log->stack_frames[low - 1] : NULL;
}

/* Returns the frame that contains the address, and its stack pointer, or NULL if the address is below or above the recorded frames. */
static const struct memphis_stack_frame *frame_at(const struct memphis_thread *thread,
						  const struct memphis_stack_frames_view *view,
						  uint64_t address, uint64_t *sp)
{
	const struct memphis_stack_frame *frames;
	uint32_t i;

	if (!view->stack_frames.depth)
		return NULL;
	frames = thread->log->frames + view->first;
	*sp = view->stack_frames.low;
	for (i = 0; i < view->stack_frames.depth; i++) {
		if (address < *sp)
			return NULL;
		if (address < frames[i].cfa)
			return &frames[i];
		*sp = frames[i].cfa;
	}
	return NULL;
}

static void find_local(struct memphis_binaries *binaries, const struct memphis_process *process,
		       const struct memphis_thread *thread, uint64_t address, uint64_t time_ns,
		       struct memphis_answer *answer)
{
	uint64_t to_ns, from_code_ns, to_code_ns, sp, low, high, vaddr;
	const struct memphis_stack_frame *frame;
	const struct memphis_stack_frames_view *view;
	struct memphis_frame_place place;
	uint32_t binary, local;

	view = frames_at(thread, time_ns, &to_ns);
	frame = view ? frame_at(thread, view, address, &sp) : NULL;
	if (!frame)
		return;
	binary = memphis_maps_code(&process->maps, frame->pc, time_ns, &vaddr, &from_code_ns, &to_code_ns);
	if (binary == MEMPHIS_NO_BINARY || binaries->list[binary]->state != MEMPHIS_BINARY_OK)
		return;
	place = (struct memphis_frame_place){
		.cfa = frame->cfa,
		.bp = frame->bp,
		.sp = sp,
		.sp_known = frame != thread->log->frames + view->first || view->stack_frames.same_sp,
		.pc = vaddr,
		.end_pc = vaddr + (frame->end_pc - frame->pc),
	};
	local = memphis_locals_find(binaries, binaries->list[binary], &place, address, &low, &high);
	if (local == MEMPHIS_NO_LOCAL)
		return;
	answer->owner.index = binary;
	answer->owner.item = local;
	if (memphis_local_of(binaries->list[binary], local)->name)
		answer->owner.reason = MEMPHIS_ATTRIBUTED;
	answer->low = low;
	answer->high = high;
	/* The answer is not valid before the frames were recorded: a frame of the same function may have been at another address. */
	answer->from_ns =
		view->stack_frames.time_ns > from_code_ns ? view->stack_frames.time_ns : from_code_ns;
	answer->to_ns = to_ns < to_code_ns ? to_ns : to_code_ns;
}

bool memphis_stack_frames_find(struct memphis_binaries *binaries, const struct memphis_process *process,
			       const struct memphis_intervals *stacks, uint64_t address, uint64_t time_ns,
			       struct memphis_answer *answer)
{
	struct search search = {.process = process, .time_ns = time_ns};

	memphis_intervals_find(stacks, address, consider, &search);
	if (!search.any)
		return false;
	answer->owner = (struct memphis_owner){
		.kind = MEMPHIS_OWNER_STACK, .reason = MEMPHIS_STACK_FRAME, .index = MEMPHIS_NO_BINARY};
	if (search.thread)
		find_local(binaries, process, search.thread, address, time_ns, answer);
	return true;
}
