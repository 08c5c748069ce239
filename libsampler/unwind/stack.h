/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Call stacks of allocations. A stack is walked with cached unwind rules (a few ns per frame), stored once
 * per thread, and identified by a small number. Only the thread that owns the struct memphis_stacks may call
 * these functions, unless stated otherwise.
 */
#ifndef MEMPHIS_STACK_H
#define MEMPHIS_STACK_H

#include <memphis/format.h>
#include <stdatomic.h>

#include <memphis/device.h>

#include "unwind/cfi.h"
#include "unwind/python.h"

#define MEMPHIS_STACK_RULES       1024  /* entries of the rule cache of a thread, a power of two */
#define MEMPHIS_STACKS_MAX        65535 /* distinct stacks per thread */
#define MEMPHIS_STACK_SLOTS_MIN   512   /* initial size of the hash table, a power of two */
#define MEMPHIS_STACK_BLOCK_WORDS 8190

/*
 * Stored stacks in the format of STACKS chunks: a struct memphis_stack followed by its PCs, in words of 8
 * bytes. The owner appends a stack and then increases `used`. The drain reads the stacks.
 */
struct memphis_stack_block {
	_Atomic(struct memphis_stack_block *) next;
	_Atomic __u64 used;
	__u64 words[MEMPHIS_STACK_BLOCK_WORDS];
};

/* Slot of the hash table (open addressing) that maps PCs to ids. */
struct memphis_stack_slot {
	__u64 hash; /* 0: free slot */
	__u64 id;
};

/* Entry of the cache of unwind rules. The cache has two entries for each hash. */
struct memphis_known_rule {
	__u64 pc;
	struct memphis_rule rule;
};

/*
 * A cached walk: the words of the stack that determined the walk, and its result. If none of these words has
 * changed, the result is still valid. The comparisons are independent loads and therefore fast. A walk is
 * slower, because it needs each word to compute the address of the next one.
 */
#define MEMPHIS_STACK_WALKS       32 /* cached per thread, a power of two */
#define MEMPHIS_STACK_WALK_CHECKS 64 /* walks that read more words are not cached */

struct memphis_known_walk {
	__u64 sp, bp, pc; /* registers of the first frame; sp 0: entry unused */
	__u32 id;         /* result of the walk */
	__u32 checks;     /* number of entries of check[] */
	__u32 depth_max;  /* limit of the walk */
	__u32 needs_bp;   /* 1: the walk depends on bp, which must be compared */
	struct {
		__u64 slot, value;
	} check[MEMPHIS_STACK_WALK_CHECKS];
};

/* Entry of the direct-mapped cache of lines of Python. */
#define MEMPHIS_KNOWN_LINES 256 /* cached per thread, a power of two */

struct memphis_known_line {
	struct memphis_python_frame frame;
	__u32 number; /* number of the line in PYTHON_LINES; 0: there was no room for the line;
		       * UINT32_MAX: the frame has no line */
};

#define MEMPHIS_WALK_FRAMES_MAX 64 /* maximum depth of a walk */

/* The cached walks, and memory for the current walk. The memory is here because the thread's stack may be too small. */
struct memphis_walks {
	struct memphis_known_walk known[MEMPHIS_STACK_WALKS];
	__u64 pcs[MEMPHIS_WALK_FRAMES_MAX];
	union memphis_cfi_work cfi;
};

struct memphis_stacks {
	/*
	 * Used by the owning thread only. If signal handlers may use these members, too, the thread must be
	 * marked as busy (base/busy.h).
	 */
	__u64 low, high; /* bounds of the thread's stack; high 0: unknown, and stacks consist of one PC */
	__u32 last_id;
	__u32 generation; /* value of memphis_stack_generation when the caches were last emptied */
	struct memphis_known_rule *rules;
	struct memphis_walks *walks;
	struct memphis_known_walk *latest; /* the known walk that matched last, or NULL */
	__u64 function, function_end; /* the latest function that was looked up for a sample; 0, 0: none */
	struct memphis_known_line *lines; /* NULL: the thread has not executed Python yet */
	struct memphis_stack_slot *slots;
	__u32 slot_count;
	struct memphis_stack_block *last;
	/* Shared with the drain. */
	_Atomic(struct memphis_stack_block *) first;
	_Atomic __u32 left_out; /* stacks that could not be stored */
	/* Used by the drain only. */
	struct memphis_stack_block *written_block; /* NULL: nothing is written yet */
	__u64 written;                             /* words of written_block that have been written */
};

/* Incremented by memphis_stack_forget(). */
extern _Atomic __u32 memphis_stack_generation;

/*
 * Returns true if a walk from `frame` would certainly have the same result as `known`. The caller must check
 * the generation first.
 */
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

/*
 * Default depths of stacks. In templates that were built without optimisation, the allocation may be 20 or
 * more calls below the function that contains the variable, so stacks must be deep. But in a program that
 * allocates in a recursion, deeper stacks mean more distinct stacks. A thread that has many stacks therefore
 * stores fewer functions of each further stack.
 */
#define MEMPHIS_STACK_DEPTH_FEW  32
#define MEMPHIS_STACK_DEPTH_MANY 8
#define MEMPHIS_STACKS_MANY      4096

/* Returns the maximum depth of the thread's next stack. `setting`: the depth, or UINT64_MAX for the default. */
static inline unsigned int memphis_stack_depth(const struct memphis_stacks *stacks, __u64 setting)
{
	if (setting != UINT64_MAX)
		return (unsigned int)setting;
	return stacks->last_id < MEMPHIS_STACKS_MANY ? MEMPHIS_STACK_DEPTH_FEW : MEMPHIS_STACK_DEPTH_MANY;
}

/* Slow path of memphis_stack_capture(). Tries the other cached walks, and then walks the stack. */
__u32 memphis_stack_look_up(struct memphis_stacks *stacks, void *frame, unsigned int depth_max);

/*
 * Returns the id of the call stack that starts with the caller of a function. `frame` is the frame address of
 * this function (__builtin_frame_address(0)). The stack has at most `depth_max` PCs. Returns 0 if the stack
 * could not be stored.
 */
static inline __u32 memphis_stack_capture(struct memphis_stacks *stacks, void *frame, unsigned int depth_max)
{
	const struct memphis_known_walk *latest = stacks->latest;

	/* Programs that allocate often do so from few call sites, and usually several times in a row from the same one. */
	if (likely(latest &&
		   stacks->generation ==
			   atomic_load_explicit(&memphis_stack_generation, memory_order_relaxed) &&
		   memphis_stack_is_known(latest, frame, depth_max)))
		return latest->id;
	return memphis_stack_look_up(stacks, frame, depth_max);
}

/*
 * Does the same as memphis_stack_capture(), but leaves out the innermost frames up to the function at the
 * address `hook`. Another library has put this hook between the program and this library. Does not use the
 * cached walks.
 */
__u32 memphis_stack_look_up_above(struct memphis_stacks *stacks, void *frame, unsigned int depth_max,
				  __u64 hook);

/* Returns true if the cached rules and walks are valid, because no object was unloaded since they were cached. */
static inline int memphis_stack_rules_hold(const struct memphis_stacks *stacks)
{
	return stacks->rules &&
	       stacks->generation == atomic_load_explicit(&memphis_stack_generation, memory_order_relaxed);
}

struct memphis_walked_frame {
	__u64 pc, cfa, bp; /* bp: value of the register bp in this frame */
};

/*
 * Walks the frames outwards, starting with the caller of the function whose frame address is `frame`. Stops
 * at the first frame whose CFA can't be computed. Fills frames[MEMPHIS_WALK_FRAMES_MAX], innermost first.
 * Also fills *known for memphis_stack_is_known(). known->sp is 0 if the walk is too long for that. Returns
 * the number of frames.
 */
unsigned int memphis_stack_frames(struct memphis_stacks *stacks, void *frame,
				  struct memphis_walked_frame *frames, struct memphis_known_walk *known);

/* Walks the stack without storing it. Fills pcs[depth_max], innermost first. Returns the depth. */
unsigned int memphis_stack_walk(struct memphis_stacks *stacks, void *frame, __u64 *pcs,
				unsigned int depth_max);

/*
 * Unwinds the copy of a stack outwards from the instruction copy->ip. Fills pcs[depth_max] with return
 * addresses, innermost first, and stores their number in *depth. Returns 0 if the outermost frame or
 * depth_max was reached, otherwise enum memphis_no_callers. In that case, the PCs found so far are valid.
 *
 * The objects whose code is on the stack must not be unloaded during the call.
 */
int memphis_stack_walk_copy(struct memphis_stacks *stacks, const struct memphis_user_stack *copy, __u64 *pcs,
			    unsigned int depth_max, unsigned int *depth);

/*
 * Finds the frame in the copy of a stack that contains an address. A sample at `pc` has accessed this
 * address. Fills *frame. Returns 0 or enum memphis_no_callers.
 *
 * The stack may have changed between the sample and the copy. The call therefore fails unless the function
 * that contains `pc` is the function of the frame, or was called from it directly or indirectly. The objects
 * whose code is on the stack must not be unloaded during the call.
 */
int memphis_stack_frame_in_copy(struct memphis_stacks *stacks, const struct memphis_user_stack *copy,
				__u64 pc, __u64 address, struct memphis_sampled_frame *frame);

/* Returns true if both addresses are in one function. The object of `pc` must not be unloaded during the call. */
bool memphis_stack_are_in_function(struct memphis_stacks *stacks, __u64 pc, __u64 ip);

/* Stores a stack. Returns its id, or 0 if memory is exhausted or MEMPHIS_STACKS_MAX stacks are stored. */
__u32 memphis_stack_store(struct memphis_stacks *stacks, const __u64 *pcs, unsigned int depth);

/* Frees the caches when the thread ends. The stored stacks remain for the drain. */
void memphis_stack_end(struct memphis_stacks *stacks);
/* Frees all memory. No thread may use `stacks` afterwards. */
void memphis_stack_free(struct memphis_stacks *stacks);

/* Sets the bounds of the thread's stack. Empties the caches, because the old bounds may have ended earlier walks too early. */
void memphis_stack_set_bounds(struct memphis_stacks *stacks, __u64 low, __u64 high);

/*
 * Invalidates the caches of all threads. Called when an object was unloaded, because another object may be
 * loaded at the same addresses. Any thread may call it.
 */
void memphis_stack_forget(void);

/*
 * The stack frames that exist while the outermost caliper of a thread is open. These are the frames that are
 * found both when the caliper is opened and when it is closed. The post-processor uses them to attribute
 * stack addresses to local variables of functions.
 */

#define MEMPHIS_FRAMES_QUEUE_WORDS 4096  /* a power of two */
#define MEMPHIS_FRAMES_RECORDS_MAX 16384 /* per thread */
#define MEMPHIS_FRAMES_RECORD_WORDS                                       \
	((sizeof(struct memphis_stack_frames) +                           \
	  MEMPHIS_WALK_FRAMES_MAX * sizeof(struct memphis_stack_frame)) / \
	 8)

/* A walk of the stack, and the words of the stack that determined its result. */
struct memphis_frames_walk {
	struct memphis_known_walk known;
	__u32 depth;
	struct memphis_walked_frame frames[MEMPHIS_WALK_FRAMES_MAX];
};

/*
 * Allocated at the first caliper of a thread. `head`, `tail` and `queue` form a queue with the thread as its
 * only producer and the drain as its only consumer.
 */
struct memphis_frames {
	struct memphis_frames_walk begin, end;
	__u64 begin_ns;
	__u32 is_queued; /* 1: the common frames of both walks are those of the record that was queued
			  * last */
	__u32 records;   /* number of records queued so far */
	struct memphis_stack_frames queued; /* the record queued last */
	struct memphis_stack_frame queued_frames[MEMPHIS_WALK_FRAMES_MAX];
	struct memphis_stack_frame common[MEMPHIS_WALK_FRAMES_MAX]; /* used by memphis_frames_end() */
	_Atomic __u64 head, tail; /* words written by the thread; words read by the drain */
	__u64 queue[MEMPHIS_FRAMES_QUEUE_WORDS];
};

/*
 * Called by the thread when it opens or closes its outermost caliper. `frame`: frame address of the calling
 * function. memphis_frames_begin() allocates *memory if it is NULL. memphis_frames_end() accepts NULL.
 */
void memphis_frames_begin(struct memphis_frames **memory, struct memphis_stacks *stacks, void *frame);
void memphis_frames_end(struct memphis_frames *memory, struct memphis_stacks *stacks, void *frame);

/* Fork handler of the child. Empties the queue, because the parent writes the queued records. */
void memphis_frames_forget(struct memphis_frames *memory);

/*
 * Called by the drain. Moves the oldest queued record to `words`: a struct memphis_stack_frames followed by
 * its frames. Returns its size in bytes, or 0 if the queue is empty or `memory` is NULL.
 */
size_t memphis_frames_take(struct memphis_frames *memory, __u64 words[MEMPHIS_FRAMES_RECORD_WORDS]);

#endif
