/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Callers of samples in libraries. The unwinder reads the call frame information of loaded objects, which may be unloaded meanwhile: it runs
 * in callbacks of memphis_loaded_each(), during which a companion survives that, and in which a thread of the program prevents it.
 */
#include <memphis/format.h>

#include "base/loaded.h"
#include "core/session.h"
#include "data/encode.h"
#include "record/callers.h"
#include "record/program.h"
#include "record/stacks_chunk.h"

#define STACKS_AT_ONCE 32 /* unwound in one callback, some microseconds each, during which the loader waits */
#define DEPTH_MAX      64
#define DEPTH_BEYOND   16 /* frames of a chain from the program's innermost one on */

/* Position in the samples of a chunk and in their stacks. */
struct place {
	struct memphis_thread_record *thread;
	__u64 sample, end;
	__u64 last; /* the sample after that of the last entry */
	unsigned char *out;
	__u32 entries;
};

static const struct memphis_sample *sample_at(const struct memphis_thread_record *thread, __u64 number)
{
	const struct memphis_sample *records =
		(const void *)((const char *)thread->status + MEMPHIS_PAGE_BYTES);

	return &records[number & (memphis_session.config.ring_records - 1)];
}

static const struct memphis_user_stack *stack_at(const struct memphis_thread_record *thread, __u64 number)
{
	const struct memphis_config *config = &memphis_session.config;
	const size_t bytes = sizeof(struct memphis_user_stack) + config->stack_bytes;

	return (const void *)((const char *)thread->status + thread->stacks_at +
			      (number & (config->stack_records - 1)) * bytes);
}

/* Returns the stack of a sample, or NULL if it has none. Leaves those of earlier samples behind. */
static const struct memphis_user_stack *stack_of(struct memphis_thread_record *thread, __u64 sample)
{
	const struct memphis_user_stack *stack;

	while (thread->stack_tail != thread->stack_head) {
		stack = stack_at(thread, thread->stack_tail);
		if (stack->sample > sample)
			break;
		if (stack->sample == sample)
			return stack;
		thread->stack_tail++;
	}
	return NULL;
}

/* With IBS, the interrupt comes after the sample, possibly in another function. */
static bool is_in_same_function(__u64 pc, __u64 ip)
{
	__u64 start, end;

	return pc == ip || (memphis_cfi_function(pc, &start, &end) && ip >= start && ip < end);
}

/* Returns the entry's code for the sample's chain, or for the reason why there is none. */
static __u32 chain_of(struct memphis_thread_record *thread, __u64 pc, const struct memphis_user_stack *stack)
{
	unsigned int depth, i;
	__u64 pcs[DEPTH_MAX];
	int reason;
	__u32 id;

	if (!stack)
		return 2 * MEMPHIS_NO_CALLERS_LOST + 1;
	if (stack->flags & MEMPHIS_STACK_IN_KERNEL)
		return 2 * MEMPHIS_NO_CALLERS_KERNEL + 1;
	if (stack->flags & MEMPHIS_STACK_OVER_BUDGET)
		return 2 * MEMPHIS_NO_CALLERS_BUDGET + 1;
	if (!is_in_same_function(pc, stack->ip))
		return 2 * MEMPHIS_NO_CALLERS_SKID + 1;
	reason = memphis_stack_walk_copy(&thread->chains, stack, pcs, DEPTH_MAX, &depth);
	for (i = 0; i < depth && !memphis_program_contains(pcs[i] - 1); i++)
		;
	if (i == depth && (reason || !depth))
		return 2 * (__u32)(reason ? reason : MEMPHIS_NO_CALLERS_NO_RULE) + 1;
	if (depth > i + DEPTH_BEYOND)
		depth = i + DEPTH_BEYOND;
	id = memphis_stack_store(&thread->chains, pcs, depth);
	return id ? 2 * id : 2 * MEMPHIS_NO_CALLERS_NO_MEMORY + 1;
}

static void add_entry(struct place *place, __u32 chain)
{
	place->out = memphis_encode_varint(place->out, place->sample - place->last);
	place->out = memphis_encode_varint(place->out, chain);
	place->last = place->sample + 1;
	place->entries++;
}

/* Adds entries until the samples end or enough stacks were unwound. */
static int add_entries(struct dl_phdr_info *info, size_t size, void *data)
{
	struct place *place = data;
	struct memphis_thread_record *thread = place->thread;
	unsigned int unwound = 0;
	__u32 chain;

	(void)info;
	(void)size;
	for (; place->sample != place->end && unwound < STACKS_AT_ONCE; place->sample++) {
		const __u64 pc = sample_at(thread, place->sample)->pc;
		const struct memphis_user_stack *stack;

		if (memphis_program_contains(pc))
			continue;
		stack = stack_of(thread, place->sample);
		chain = chain_of(thread, pc, stack); /* may not return, see above */
		add_entry(place, chain);
		unwound += !!stack;
	}
	return 1; /* no further object is of interest */
}

void memphis_callers_write(struct memphis_thread_record *thread, __u64 first, __u32 count)
{
	struct place place = {.thread = thread, .sample = first, .last = first, .end = first + count};
	/* Not in the stage of the files, where the CHAINS come before the entries. */
	static unsigned char entries[MEMPHIS_CALLERS_SAMPLES_MAX * MEMPHIS_CALLERS_CODE_BYTES_MAX];

	place.out = entries;
	while (place.sample != place.end)
		if (memphis_loaded_each(add_entries, &place) == -EFAULT) {
			add_entry(&place, 2 * MEMPHIS_NO_CALLERS_NO_RULE + 1);
			place.sample++;
		}
	memphis_stacks_chunk(&thread->chains, &thread->file, MEMPHIS_CHUNK_CHAINS);
	if (place.entries)
		memphis_file_chunk(&thread->file, MEMPHIS_CHUNK_CALLERS, entries,
				   (size_t)(place.out - entries), place.entries);
	memphis_callers_skip(thread, first + count);
}

bool memphis_callers_are_due(const struct memphis_thread_record *thread)
{
	return thread->stacks_at &&
	       2 * (thread->stack_head - thread->stack_tail) >= memphis_session.config.stack_records;
}

void memphis_callers_skip(struct memphis_thread_record *thread, __u64 end)
{
	while (thread->stack_tail != thread->stack_head && stack_at(thread, thread->stack_tail)->sample < end)
		thread->stack_tail++;
	/* The stacks have been read, so the handler may overwrite them. */
	__atomic_store_n(&thread->page->stack_tail, thread->stack_tail, __ATOMIC_RELEASE);
}
