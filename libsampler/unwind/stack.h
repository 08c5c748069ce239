/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Call stacks of allocations: walked with remembered rules (a few ns per frame), stored once per thread,
 * known by a small number from then on.
 */
#ifndef MEMPHIS_STACK_H
#define MEMPHIS_STACK_H

#include <stdatomic.h>

#include "unwind/cfi.h"

#define MEMPHIS_STACK_RULES       1024  /* remembered per thread, a power of two */
#define MEMPHIS_STACKS_MAX        65535 /* distinct ones per thread */
#define MEMPHIS_STACK_SLOTS_MIN   512   /* of the hash table at first, a power of two */
#define MEMPHIS_STACK_BLOCK_WORDS 8190

/* Stored stacks, as they go to the file: struct memphis_stack and its PCs, in words of 8 bytes. */
struct memphis_stack_block {
	_Atomic(struct memphis_stack_block *) next;
	_Atomic __u64 used;
	__u64 words[MEMPHIS_STACK_BLOCK_WORDS];
};

struct memphis_stack_slot {
	__u64 hash; /* 0: free */
	__u64 id;
};

struct memphis_known_rule {
	__u64 pc;
	struct memphis_rule rule;
};

/*
 * A walk that was made before: as long as the words on the stack that it went by are the same, so is its result. They
 * are compared all at once, where a walk has to wait for each before it knows where the next one is.
 */
#define MEMPHIS_STACK_WALKS       32 /* remembered per thread, a power of two */
#define MEMPHIS_STACK_WALK_CHECKS 16

struct memphis_known_walk {
	__u64 sp, bp, pc;
	__u32 id;
	__u32 checks;
	__u32 depth_max;
	__u32 needs_bp;
	struct {
		__u64 slot, value;
	} check[MEMPHIS_STACK_WALK_CHECKS];
};

struct memphis_stacks {
	/* The thread's own. */
	__u64 low, high; /* bounds of the thread's stack; high 0: not known, then only one PC is taken */
	__u32 last_id;
	__u32 generation; /* of the rules, see memphis_stack_forget() */
	struct memphis_known_rule *rules;
	struct memphis_known_walk *walks;
	struct memphis_known_walk *latest; /* NULL: none */
	struct memphis_stack_slot *slots;
	__u32 slot_count;
	struct memphis_stack_block *last;
	/* Shared with the drain. */
	_Atomic(struct memphis_stack_block *) first;
	_Atomic __u32 left_out;
	/* The drain's. */
	struct memphis_stack_block *written_block;
	__u64 written; /* words of it */
};

/* Raised by memphis_stack_forget(). */
extern _Atomic __u32 memphis_stack_generation;

/* Whether the walk that starts at `frame` would go as this one did. */
static inline int memphis_stack_is_known(const struct memphis_known_walk *known, const __u64 *frame,
					 unsigned int depth_max)
{
	__u64 differ;
	__u32 i;

	if (known->sp != (__u64)(uintptr_t)frame + 16 || known->depth_max != depth_max)
		return 0;
	differ = (known->pc ^ frame[1]) | (known->needs_bp ? known->bp ^ frame[0] : 0);
	for (i = 0; i < known->checks; i++)
		differ |= *(const __u64 *)(uintptr_t)known->check[i].slot ^ known->check[i].value;
	return !differ;
}

/* The half of memphis_stack_capture() that looks further than at the latest walk. */
__u32 memphis_stack_look_up(struct memphis_stacks *stacks, void *frame, unsigned int depth_max);

/*
 * The id of the stack that starts with the caller of the function whose frame address
 * (__builtin_frame_address(0)) is `frame`. 0 when it could not be kept.
 */
static inline __u32 memphis_stack_capture(struct memphis_stacks *stacks, void *frame, unsigned int depth_max)
{
	const struct memphis_known_walk *latest = stacks->latest;

	/* Codes that allocate much do so from few places. */
	if (likely(latest &&
		   stacks->generation ==
			   atomic_load_explicit(&memphis_stack_generation, memory_order_relaxed) &&
		   memphis_stack_is_known(latest, frame, depth_max)))
		return latest->id;
	return memphis_stack_look_up(stacks, frame, depth_max);
}

/* The rules, and walks made by them, are still those of the objects that are loaded. */
static inline int memphis_stack_rules_hold(const struct memphis_stacks *stacks)
{
	return stacks->rules &&
	       stacks->generation == atomic_load_explicit(&memphis_stack_generation, memory_order_relaxed);
}

struct memphis_walked_frame {
	__u64 pc, cfa, bp; /* bp: the register in this frame */
};

/*
 * The frames from the caller of the function whose frame address is `frame` on outwards, as far as their CFAs are known.
 * Fills frames[MEMPHIS_WALK_FRAMES_MAX] and `known`, returns how many.
 */
#define MEMPHIS_WALK_FRAMES_MAX 64
unsigned int memphis_stack_frames(struct memphis_stacks *stacks, void *frame,
				  struct memphis_walked_frame *frames, struct memphis_known_walk *known);

/* The walk alone: fills pcs[depth_max], returns the depth. */
unsigned int memphis_stack_walk(struct memphis_stacks *stacks, void *frame, __u64 *pcs,
				unsigned int depth_max);

/* The owner: no more will come; what was stored stays. */
void memphis_stack_end(struct memphis_stacks *stacks);
/* Give all memory back. */
void memphis_stack_free(struct memphis_stacks *stacks);

/* The owner: where the thread's stack lies, once that is known. Walks that were made before may have ended too early. */
void memphis_stack_bounds(struct memphis_stacks *stacks, __u64 low, __u64 high);

/* An object was unloaded: its addresses may come again with other rules. */
void memphis_stack_forget(void);

#endif
