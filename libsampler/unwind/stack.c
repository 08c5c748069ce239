/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Call stacks of allocations. A stack is walked with cached unwind rules (a few ns per frame), stored once
 * per thread, and identified by a small number.
 */
#include <string.h>
#include <sys/auxv.h>

#include <memphis/format.h>

#include "base/busy.h"
#include "unwind/stack.h"

_Atomic __u32 memphis_stack_generation;

void memphis_stack_forget(void)
{
	atomic_fetch_add(&memphis_stack_generation, 1);
}

void memphis_stack_set_bounds(struct memphis_stacks *stacks, __u64 low, __u64 high)
{
	stacks->low = low;
	__atomic_store_n(&stacks->high, high, __ATOMIC_RELEASE); /* also publishes `low` */
	stacks->generation = atomic_load(&memphis_stack_generation) - 1;
}

/* Always inline, because a frame of its own would be on the program's stack. */
static inline __attribute__((always_inline)) struct memphis_rule cached_rule(struct memphis_stacks *stacks,
									     __u64 pc)
{
	struct memphis_known_rule *known = &stacks->rules[2 * ((pc * 0x9e3779b97f4a7c15u) >> 55)];
	struct memphis_rule rule;

	_Static_assert(MEMPHIS_STACK_RULES == 2 << (64 - 55), "the shift yields the index of a pair");
	if (likely(known->pc == pc))
		return known->rule;
	/* With one entry, two functions of the same hash would replace each other in each walk. */
	if (known[1].pc == pc)
		return known[1].rule;
	rule = memphis_cfi_rule(pc, &stacks->walks->cfi);
	known[1] = known[0];
	*known = (struct memphis_known_rule){pc, rule};
	return rule;
}

/*
 * Allocates the caches on first use. Empties them if an object was unloaded since the last call. Returns 0 or
 * -ENOMEM.
 */
static int prepare_caches(struct memphis_stacks *stacks)
{
	__u32 now = atomic_load_explicit(&memphis_stack_generation, memory_order_relaxed);

	if (likely(stacks->slots && stacks->generation == now))
		return 0;
	if (!stacks->rules)
		stacks->rules = sys_map(MEMPHIS_STACK_RULES * sizeof(*stacks->rules));
	else
		memset(stacks->rules, 0, MEMPHIS_STACK_RULES * sizeof(*stacks->rules));
	if (!stacks->walks)
		stacks->walks = sys_map(sizeof(*stacks->walks));
	else
		memset(stacks->walks->known, 0, sizeof(stacks->walks->known));
	if (!stacks->slots) {
		stacks->slots = sys_map(MEMPHIS_STACK_SLOTS_MIN * sizeof(*stacks->slots));
		stacks->slot_count = MEMPHIS_STACK_SLOTS_MIN;
	}
	stacks->function = stacks->function_end = 0;
	stacks->generation = now;
	return stacks->rules && stacks->walks && stacks->slots ? 0 : -ENOMEM;
}

/* Records a word of the stack on which the walk depends. */
static inline void note_word(struct memphis_known_walk *known, __u64 slot, __u64 value)
{
	if (known && known->checks < MEMPHIS_STACK_WALK_CHECKS) {
		known->check[known->checks].slot = slot;
		known->check[known->checks].value = value;
	}
	if (known)
		known->checks++; /* more than the maximum: the walk is too long to be cached */
}

/* Returns the address at which the caller's bp is saved, or 0 if it is still in the register. */
static inline __u64 saved_bp_address(const struct memphis_rule *rule, __u64 cfa, __u64 bp)
{
	if (rule->kind == MEMPHIS_RULE_DEREF)
		return bp + (__u64)(__s64)rule->bp_offset;
	return rule->bp_offset ? cfa + (__u64)(__s64)rule->bp_offset : 0;
}

/*
 * Walks the stack from `frame`. Fills pcs[depth_max] and returns the depth. With `known`, records the words
 * on which the walk depends. With `frames`, also fills that array and stores the number of valid entries in
 * *framed. The function is inlined, so that the usual walk without frames does not test for them.
 */
static inline __attribute__((always_inline)) unsigned int
walk_with(struct memphis_stacks *stacks, void *frame, __u64 *pcs, unsigned int depth_max,
	  struct memphis_known_walk *known, struct memphis_walked_frame *frames, unsigned int *framed)
{
	__u64 bp, cfa, slot, sp = (__u64)(uintptr_t)frame + 16;
	unsigned int depth = 0;

	memcpy(&bp, frame, 8);
	memcpy(&pcs[depth++], (char *)frame + 8, 8);
	if (sp < stacks->low || sp >= stacks->high)
		return depth; /* on a signal or coroutine stack, whose bounds are unknown */
	while (depth < depth_max) {
		struct memphis_rule rule = cached_rule(stacks, pcs[depth - 1]);

		if (rule.kind == MEMPHIS_RULE_NONE)
			break;
		if (rule.kind != MEMPHIS_RULE_SP && known)
			known->needs_bp = 1;
		cfa = (rule.kind == MEMPHIS_RULE_SP ? sp : bp) + (__u64)(__s64)rule.cfa_offset;
		if (unlikely(rule.kind == MEMPHIS_RULE_DEREF)) {
			slot = cfa;
			if (slot < sp || slot > stacks->high - 8 || (slot & 7))
				break;
			memcpy(&cfa, (void *)(uintptr_t)slot, 8);
			note_word(known, slot, cfa);
		}
		slot = saved_bp_address(&rule, cfa, bp);
		/*
		 * A caller's frame must have a higher address than the frame. This check also ends loops and
		 * prevents reads outside the stack.
		 */
		if (cfa < sp + 8 || cfa > stacks->high || (cfa & 7) ||
		    (slot && (slot < stacks->low || slot > stacks->high - 8)))
			break;
		if (frames) {
			frames[depth - 1] = (struct memphis_walked_frame){pcs[depth - 1], cfa, bp};
			*framed = depth;
		}
		if (slot) {
			memcpy(&bp, (void *)(uintptr_t)slot, 8);
			note_word(known, slot, bp);
		}
		memcpy(&pcs[depth], (void *)(uintptr_t)(cfa - 8), 8);
		note_word(known, cfa - 8, pcs[depth]);
		if (!pcs[depth])
			break;
		depth++;
		sp = cfa;
	}
	return depth;
}

static unsigned int walk_stack(struct memphis_stacks *stacks, void *frame, __u64 *pcs, unsigned int depth_max,
			       struct memphis_known_walk *known)
{
	return walk_with(stacks, frame, pcs, depth_max, known, NULL, NULL);
}

unsigned int memphis_stack_frames(struct memphis_stacks *stacks, void *frame,
				  struct memphis_walked_frame *frames, struct memphis_known_walk *known)
{
	const __u64 *words = frame;
	unsigned int count = 0;

	known->sp = 0;
	known->checks = known->needs_bp = 0;
	if (unlikely(prepare_caches(stacks)))
		return 0;
	walk_with(stacks, frame, stacks->walks->pcs, MEMPHIS_WALK_FRAMES_MAX, known, frames, &count);
	if (known->checks <= MEMPHIS_STACK_WALK_CHECKS) {
		known->bp = words[0];
		known->pc = words[1];
		known->depth_max = MEMPHIS_WALK_FRAMES_MAX;
		known->sp = (__u64)(uintptr_t)frame + 16;
	}
	return count;
}

unsigned int memphis_stack_walk(struct memphis_stacks *stacks, void *frame, __u64 *pcs,
				unsigned int depth_max)
{
	return unlikely(prepare_caches(stacks)) ? 0 : walk_stack(stacks, frame, pcs, depth_max, NULL);
}

/* Reads a word of the stack. Returns false if the copy does not contain it. */
static int read_copied_word(const struct memphis_user_stack *copy, __u64 address, __u64 *word)
{
	const __u64 offset = address - copy->sp;

	if (copy->bytes < 8 || offset > copy->bytes - 8)
		return 0;
	memcpy(word, (const char *)(copy + 1) + offset, 8);
	return 1;
}

/*
 * A frame in the copy of a stack. `pc` is a return address. In the innermost frame, it is the address of the
 * current instruction plus 1.
 */
struct copied_frame {
	__u64 pc, sp, bp, cfa;
	int has_bp;
	struct memphis_rule rule;
};

static struct copied_frame innermost_frame(const struct memphis_user_stack *copy)
{
	/* the rule of a return address is that of the instruction before it, hence + 1 */
	return (struct copied_frame){.pc = copy->ip + 1, .sp = copy->sp, .bp = copy->bp, .has_bp = 1};
}

/* Computes the CFA of the frame. Returns 0 or enum memphis_no_callers. */
static int find_cfa(struct memphis_stacks *stacks, const struct memphis_user_stack *copy,
		    struct copied_frame *frame)
{
	const struct memphis_rule rule = frame->rule = cached_rule(stacks, frame->pc);

	if (rule.kind == MEMPHIS_RULE_NONE)
		return MEMPHIS_NO_CALLERS_NO_RULE;
	if (rule.kind != MEMPHIS_RULE_SP && !frame->has_bp)
		return MEMPHIS_NO_CALLERS_SHORT;
	frame->cfa = (rule.kind == MEMPHIS_RULE_SP ? frame->sp : frame->bp) + (__u64)(__s64)rule.cfa_offset;
	if (rule.kind == MEMPHIS_RULE_DEREF && !read_copied_word(copy, frame->cfa, &frame->cfa))
		return MEMPHIS_NO_CALLERS_SHORT;
	/* A caller's frame must have a higher address than the frame. This also ends loops. */
	return frame->cfa < frame->sp + 8 || (frame->cfa & 7) ? MEMPHIS_NO_CALLERS_NO_RULE : 0;
}

/*
 * Replaces the frame by its caller's frame. The CFA of the frame must be known. At the end of the stack, the
 * new pc is 0. Returns 0 or enum memphis_no_callers.
 */
static int go_to_caller(const struct memphis_user_stack *copy, struct copied_frame *frame)
{
	const __u64 slot = saved_bp_address(&frame->rule, frame->cfa, frame->bp);

	if (!read_copied_word(copy, frame->cfa - 8, &frame->pc))
		return MEMPHIS_NO_CALLERS_SHORT;
	if (slot)
		frame->has_bp = read_copied_word(copy, slot, &frame->bp);
	frame->sp = frame->cfa;
	return 0;
}

int memphis_stack_walk_copy(struct memphis_stacks *stacks, const struct memphis_user_stack *copy, __u64 *pcs,
			    unsigned int depth_max, unsigned int *depth)
{
	struct copied_frame frame = innermost_frame(copy);
	int reason;

	*depth = 0;
	if (prepare_caches(stacks))
		return MEMPHIS_NO_CALLERS_NO_MEMORY;
	while (*depth < depth_max) {
		reason = find_cfa(stacks, copy, &frame);
		if (!reason)
			reason = go_to_caller(copy, &frame);
		if (reason || !frame.pc)
			return reason;
		pcs[(*depth)++] = frame.pc;
	}
	return 0;
}

/*
 * Finds the function that contains the instruction. It is often the function of the previous sample. Returns
 * false if it is not found.
 */
static bool find_function(struct memphis_stacks *stacks, __u64 pc)
{
	return (pc >= stacks->function && pc < stacks->function_end) ||
	       memphis_cfi_function(pc, &stacks->function, &stacks->function_end);
}

bool memphis_stack_are_in_function(struct memphis_stacks *stacks, __u64 pc, __u64 ip)
{
	/* Without memory, this still forgets the function of an object that was unloaded. */
	prepare_caches(stacks);
	return find_function(stacks, pc) && ip >= stacks->function && ip < stacks->function_end;
}

#define RED_ZONE 128 /* bytes below the stack pointer that a function may use: System V ABI, AMD64, 3.2.2 */

int memphis_stack_frame_in_copy(struct memphis_stacks *stacks, const struct memphis_user_stack *copy,
				__u64 pc, __u64 address, struct memphis_sampled_frame *found)
{
	struct copied_frame frame = innermost_frame(copy);
	unsigned int depth;
	bool has_called = false; /* true: the function of the sample is on the stack */
	int reason;

	if (prepare_caches(stacks))
		return MEMPHIS_NO_CALLERS_NO_MEMORY;
	if (address < copy->sp - RED_ZONE || !find_function(stacks, pc))
		return MEMPHIS_NO_CALLERS_SKID;
	for (depth = 0; depth < MEMPHIS_WALK_FRAMES_MAX; depth++) {
		reason = find_cfa(stacks, copy, &frame);
		if (reason)
			return reason;
		has_called = has_called || (frame.pc > stacks->function && frame.pc <= stacks->function_end);
		if (address < frame.cfa)
			break;
		reason = go_to_caller(copy, &frame);
		if (reason)
			return reason;
		if (!frame.pc)
			return MEMPHIS_NO_CALLERS_NO_RULE;
	}
	if (depth == MEMPHIS_WALK_FRAMES_MAX)
		return MEMPHIS_NO_CALLERS_SHORT;
	if (!has_called)
		return MEMPHIS_NO_CALLERS_SKID;
	/*
	 * The registers are those at the time of the interrupt. If the function has already restored its
	 * caller's bp, the register no longer contains the bp of this frame.
	 */
	if (!depth && frame.rule.kind == MEMPHIS_RULE_SP)
		frame.has_bp = 0;
	*found = (struct memphis_sampled_frame){
		.pc = depth ? frame.pc : pc + 1,
		.low = depth ? frame.sp : frame.sp - RED_ZONE,
		.cfa = frame.cfa,
		.bp = frame.has_bp ? frame.bp : 0,
		.flags = (depth ? 0 : MEMPHIS_FRAME_INNERMOST) | (frame.has_bp ? 0 : MEMPHIS_FRAME_NO_BP),
	};
	return 0;
}

static __u32 store_stack(struct memphis_stacks *stacks, const __u64 *pcs, unsigned int depth)
{
	struct memphis_stack_block *block = stacks->last;
	struct memphis_stack header = {.depth = depth};
	__u64 used = block ? atomic_load_explicit(&block->used, memory_order_relaxed) : 0;

	if (stacks->last_id == MEMPHIS_STACKS_MAX)
		return 0;
	if (!block || used + 1 + depth > MEMPHIS_STACK_BLOCK_WORDS) {
		block = sys_map(sizeof(*block));
		if (!block)
			return 0;
		if (stacks->last)
			atomic_store_explicit(&stacks->last->next, block, memory_order_release);
		else
			atomic_store_explicit(&stacks->first, block, memory_order_release);
		stacks->last = block;
		used = 0;
	}
	header.id = ++stacks->last_id;
	memcpy(&block->words[used], &header, 8);
	memcpy(&block->words[used + 1], pcs, depth * 8);
	atomic_store_explicit(&block->used, used + 1 + depth, memory_order_release);
	return header.id;
}

/* Returns the slot that contains `hash`, or the free slot in which to store it (linear probing). */
static inline struct memphis_stack_slot *find_slot(struct memphis_stack_slot *slots, __u32 count, __u64 hash)
{
	size_t at = hash >> 40;

	while (slots[at & (count - 1)].hash != hash && slots[at & (count - 1)].hash)
		at++;
	return &slots[at & (count - 1)];
}

/*
 * Doubles the hash table. Returns 0, or -ENOMEM if memory is exhausted and the old table is full. The old
 * table can be used as long as one slot remains free, because a free slot ends the search.
 */
static int grow_table(struct memphis_stacks *stacks)
{
	__u32 count = 2 * stacks->slot_count, i;
	struct memphis_stack_slot *slots = sys_map(count * sizeof(*slots));
	__u64 signals;

	if (!slots)
		return stacks->last_id + 2 < stacks->slot_count ? 0 : -ENOMEM;
	for (i = 0; i < stacks->slot_count; i++)
		if (stacks->slots[i].hash)
			*find_slot(slots, count, stacks->slots[i].hash) = stacks->slots[i];
	/*
	 * Block signals while the tables are exchanged. A signal handler may end the thread, which unmaps
	 * `slots`, and that must not be the table that was just unmapped.
	 */
	signals = sys_no_signals();
	sys_unmap(stacks->slots, stacks->slot_count * sizeof(*slots));
	stacks->slots = slots;
	stacks->slot_count = count;
	sys_signals(signals);
	return 0;
}

/*
 * Returns the id of the stack with these PCs. Stores the stack if it is new. Returns 0 if that fails. Stacks
 * with equal hashes count as equal.
 */
static __u32 number_stack(struct memphis_stacks *stacks, const __u64 *pcs, unsigned int depth)
{
	struct memphis_stack_slot *slot;
	__u64 hash = 0x2545f4914f6cdd1du;
	unsigned int i;

	for (i = 0; i < depth; i++) {
		hash = (hash ^ pcs[i]) * 0x9fb21c651e98df25u;
		hash ^= hash >> 29;
	}
	hash |= 1;
	slot = find_slot(stacks->slots, stacks->slot_count, hash);
	if (likely(slot->hash))
		return (__u32)slot->id;
	if (2 * stacks->last_id >= stacks->slot_count) {
		if (grow_table(stacks))
			return 0;
		slot = find_slot(stacks->slots, stacks->slot_count, hash);
	}
	slot->id = store_stack(stacks, pcs, depth);
	if (slot->id)
		slot->hash = hash;
	return (__u32)slot->id;
}

__u32 memphis_stack_store(struct memphis_stacks *stacks, const __u64 *pcs, unsigned int depth)
{
	return prepare_caches(stacks) ? 0 : number_stack(stacks, pcs, depth);
}

__u32 memphis_stack_look_up(struct memphis_stacks *stacks, void *frame, unsigned int depth_max)
{
	struct memphis_known_walk *known;
	const __u64 *words = frame;
	unsigned int depth;
	__u32 id;

	if (unlikely(prepare_caches(stacks)))
		return 0;
	known = &stacks->walks
			 ->known[((words[1] ^ (__u64)(uintptr_t)frame >> 4) * 0x9e3779b97f4a7c15u) >> 59];
	_Static_assert(MEMPHIS_STACK_WALKS == 1 << (64 - 59), "the shift yields an index");
	if (likely(memphis_stack_is_known(known, words, depth_max))) {
		stacks->latest = known;
		return known->id;
	}
	stacks->latest = NULL;
	known->sp = 0;
	known->checks = known->needs_bp = 0;
	depth = walk_stack(stacks, frame, stacks->walks->pcs, depth_max, known);
	id = number_stack(stacks, stacks->walks->pcs, depth);
	if (!id) {
		atomic_fetch_add_explicit(&stacks->left_out, 1, memory_order_relaxed);
		return 0;
	}
	if (known->checks <= MEMPHIS_STACK_WALK_CHECKS) {
		stacks->latest = known;
		known->bp = words[0];
		known->pc = words[1];
		known->id = id;
		known->depth_max = depth_max;
		known->sp = (__u64)(uintptr_t)frame + 16;
	}
	return id;
}

/*
 * Returns the number of innermost frames that belong to a hook. If the hook function ended with a jump, it is
 * not on the stack. Then all innermost frames of its library count as the hook's frames, unless the hook is
 * in the program itself.
 */
static unsigned int count_hook_frames(const __u64 *pcs, unsigned int depth, __u64 hook)
{
	__u64 start, end;
	unsigned int i;

	for (i = 0; i < depth && memphis_cfi_function(pcs[i], &start, &end); i++)
		if (hook >= start && hook < end)
			return i + 1;
	if (memphis_cfi_is_of_object(hook, getauxval(AT_ENTRY)))
		return 0;
	for (i = 0; i < depth && memphis_cfi_is_of_object(pcs[i], hook); i++)
		;
	return i;
}

__u32 memphis_stack_look_up_above(struct memphis_stacks *stacks, void *frame, unsigned int depth_max,
				  __u64 hook)
{
	unsigned int depth, left_out;
	__u64 *pcs;
	__u32 id;

	if (unlikely(prepare_caches(stacks)))
		return 0;
	pcs = stacks->walks->pcs;
	depth = walk_stack(stacks, frame, pcs, ARRAY_SIZE(stacks->walks->pcs), NULL);
	left_out = count_hook_frames(pcs, depth, hook);
	if (left_out == depth)
		left_out = 0;
	depth -= left_out;
	id = number_stack(stacks, pcs + left_out, depth < depth_max ? depth : depth_max);
	if (!id)
		atomic_fetch_add_explicit(&stacks->left_out, 1, memory_order_relaxed);
	return id;
}

void memphis_stack_end(struct memphis_stacks *stacks)
{
	sys_unmap(stacks->rules, MEMPHIS_STACK_RULES * sizeof(*stacks->rules));
	sys_unmap(stacks->slots, stacks->slot_count * sizeof(*stacks->slots));
	sys_unmap(stacks->walks, sizeof(*stacks->walks));
	sys_unmap(stacks->lines, MEMPHIS_KNOWN_LINES * sizeof(*stacks->lines));
	stacks->lines = NULL;
	stacks->rules = NULL;
	stacks->walks = NULL;
	stacks->latest = NULL;
	stacks->slots = NULL;
}

void memphis_stack_free(struct memphis_stacks *stacks)
{
	struct memphis_stack_block *block = atomic_load(&stacks->first), *next;

	memphis_stack_end(stacks);
	for (; block; block = next) {
		next = block->next;
		sys_unmap(block, sizeof(*block));
	}
	atomic_store(&stacks->first, NULL);
	stacks->last = stacks->written_block = NULL;
}

#define HEADER_WORDS (sizeof(struct memphis_stack_frames) / 8)
#define FRAME_WORDS  (sizeof(struct memphis_stack_frame) / 8)

/*
 * Walks the stack from `frame` into *walked. Returns 1, without a walk, if the stack has not changed since
 * the last walk. A signal handler that has interrupted a walk finds no frames.
 */
static int walk_if_changed(struct memphis_stacks *stacks, void *frame, struct memphis_frames_walk *walked)
{
	if (walked->known.sp && walked->known.checks <= MEMPHIS_STACK_WALK_CHECKS &&
	    memphis_stack_rules_hold(stacks) &&
	    memphis_stack_is_known(&walked->known, frame, MEMPHIS_WALK_FRAMES_MAX))
		return 1;
	if (unlikely(memphis_busy & MEMPHIS_NOTING)) {
		walked->known.sp = 0;
		walked->depth = 0;
		return 0;
	}
	memphis_busy += MEMPHIS_NOTING;
	atomic_signal_fence(memory_order_seq_cst);
	walked->depth = memphis_stack_frames(stacks, frame, walked->frames, &walked->known);
	atomic_signal_fence(memory_order_seq_cst);
	memphis_busy -= MEMPHIS_NOTING;
	return 0;
}

void memphis_frames_begin(struct memphis_frames **memory, struct memphis_stacks *stacks, void *frame)
{
	if (!*memory) {
		struct memphis_frames *made = sys_map(sizeof(*made));

		if (!made)
			return;
		__atomic_store_n(memory, made, __ATOMIC_RELEASE);
	}
	(*memory)->begin_ns = now_ns();
	if (!walk_if_changed(stacks, frame, &(*memory)->begin))
		(*memory)->is_queued = 0;
}

/* Copies words to the queue from index *at on, and advances *at. */
static void push_words(struct memphis_frames *m, __u64 *at, const void *words, size_t count)
{
	const __u64 *from = words;

	while (count--)
		m->queue[(*at)++ & (MEMPHIS_FRAMES_QUEUE_WORDS - 1)] = *from++;
}

/*
 * Queues a record. If there is no room for it, queues a header of depth 0 instead, which means that no frames
 * are known until the next record. Room for one such header is always reserved.
 */
static void queue_record(struct memphis_frames *m, const struct memphis_stack_frames *frames,
			 const struct memphis_stack_frame *list)
{
	__u64 head = atomic_load_explicit(&m->head, memory_order_relaxed);
	__u64 room =
		MEMPHIS_FRAMES_QUEUE_WORDS - (head - atomic_load_explicit(&m->tail, memory_order_acquire));
	__u64 words = HEADER_WORDS + frames->depth * FRAME_WORDS;

	m->is_queued = 0;
	if (room < words + HEADER_WORDS || m->records >= MEMPHIS_FRAMES_RECORDS_MAX) {
		struct memphis_stack_frames none = {.time_ns = frames->time_ns};

		if (!m->queued.depth || room < HEADER_WORDS)
			return;
		m->queued = none;
		push_words(m, &head, &none, HEADER_WORDS);
		atomic_store_explicit(&m->head, head, memory_order_release);
		return;
	}
	m->queued = *frames;
	memcpy(m->queued_frames, list, frames->depth * sizeof(*list));
	m->is_queued = 1;
	m->records++;
	push_words(m, &head, frames, HEADER_WORDS);
	push_words(m, &head, list, frames->depth * FRAME_WORDS);
	atomic_store_explicit(&m->head, head, memory_order_release);
}

/*
 * Compares both walks from the outermost frame inwards. Fills `list` with the equal frames, innermost first.
 * Returns their number.
 */
static __u32 list_common_frames(const struct memphis_frames_walk *a, const struct memphis_frames_walk *b,
				struct memphis_stack_frame *list)
{
	__u32 count = 0, i;

	while (count < a->depth && count < b->depth) {
		const struct memphis_walked_frame *x = &a->frames[a->depth - 1 - count];
		const struct memphis_walked_frame *y = &b->frames[b->depth - 1 - count];

		if (x->cfa != y->cfa || x->bp != y->bp)
			break;
		list[count++] = (struct memphis_stack_frame){x->cfa, x->bp, x->pc, y->pc};
		/* The frame is the same, but it has called different functions, so all inner frames differ. */
		if (x->pc != y->pc)
			break;
	}
	/* Reverse the list to innermost first, the order used for call stacks. */
	for (i = 0; i < count / 2; i++) {
		struct memphis_stack_frame one = list[i];

		list[i] = list[count - 1 - i];
		list[count - 1 - i] = one;
	}
	return count;
}

/*
 * Returns the lowest address of the innermost common frame, which is the CFA of the next inner frame.
 * `count`: number of common frames.
 */
static __u64 lowest_address(const struct memphis_frames_walk *walked, void *frame, __u32 count)
{
	__u32 further = walked->depth - count;

	return further ? walked->frames[further - 1].cfa : (__u64)(uintptr_t)frame + 16;
}

/* Queues the frames that both walks have in common, unless they equal the record that was queued last. */
static __attribute__((noinline)) void compare_walks(struct memphis_frames *m, void *frame)
{
	struct memphis_stack_frame *list = m->common;
	struct memphis_stack_frames frames = {0};
	__u64 low;

	frames.time_ns = m->begin_ns;
	frames.depth = list_common_frames(&m->begin, &m->end, list);
	frames.low = lowest_address(&m->begin, (void *)(uintptr_t)(m->begin.known.sp - 16), frames.depth);
	low = lowest_address(&m->end, frame, frames.depth);
	frames.same_sp = low == frames.low;
	/* Use only the range that belongs to the frame both when the caliper begins and when it ends. */
	if (low > frames.low)
		frames.low = low;
	if (m->records && frames.depth == m->queued.depth && frames.low == m->queued.low &&
	    frames.same_sp == m->queued.same_sp &&
	    !memcmp(list, m->queued_frames, frames.depth * sizeof(*list))) {
		m->is_queued = 1;
		return;
	}
	queue_record(m, &frames, list);
}

void memphis_frames_end(struct memphis_frames *m, struct memphis_stacks *stacks, void *frame)
{
	if (!m || !m->begin_ns)
		return;
	if (walk_if_changed(stacks, frame, &m->end) && m->is_queued)
		return;
	compare_walks(m, frame);
}

void memphis_frames_forget(struct memphis_frames *m)
{
	m->begin.known.sp = m->end.known.sp = 0;
	m->begin_ns = m->is_queued = m->records = 0;
	memset(&m->queued, 0, sizeof(m->queued));
	atomic_store(&m->tail, atomic_load(&m->head));
}

size_t memphis_frames_take(struct memphis_frames *m, __u64 words[MEMPHIS_FRAMES_RECORD_WORDS])
{
	struct memphis_stack_frames header;
	__u64 tail, head;
	size_t count = HEADER_WORDS, i;

	if (!m)
		return 0;
	tail = atomic_load_explicit(&m->tail, memory_order_relaxed);
	head = atomic_load_explicit(&m->head, memory_order_acquire);
	if (tail == head)
		return 0;
	for (i = 0; i < count; i++) {
		words[i] = m->queue[tail++ & (MEMPHIS_FRAMES_QUEUE_WORDS - 1)];
		/* The header is complete now. It contains the number of frames that follow. */
		if (i + 1 == HEADER_WORDS) {
			memcpy(&header, words, sizeof(header));
			count += header.depth * FRAME_WORDS;
		}
	}
	atomic_store_explicit(&m->tail, tail, memory_order_release);
	return count * sizeof(*words);
}
