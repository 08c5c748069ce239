/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compares call stacks with those of the compiler's unwinder, frame by frame, in code without frame pointers.
 * If this fails, heap blocks get the wrong allocation site.
 */
#include <alloca.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

#include <memphis/format.h>

#include "unwind/stack.h"
#include "../../tap.h"

#define DEPTH 40

static struct memphis_stacks stacks;
static __u64 ours[DEPTH], theirs[DEPTH], their_cfas[DEPTH];
static struct memphis_walked_frame frames[MEMPHIS_WALK_FRAMES_MAX];
static struct memphis_known_walk known;
static unsigned int frame_count;
static union memphis_cfi_work work;
static unsigned int our_depth, their_depth;
static __u32 id;

static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *unused)
{
	(void)unused;
	if (their_depth < DEPTH) {
		/* The unwinder's CFA is the frame's stack pointer: the end of its callee's frame. */
		their_cfas[their_depth] = _Unwind_GetCFA(context);
		theirs[their_depth++] = _Unwind_GetIP(context);
	}
	return _URC_NO_REASON;
}

/* A copy of the stack, as the module makes it, and the chain of callers that is found in it. */
static struct {
	struct memphis_user_stack head;
	char bytes[MEMPHIS_STACK_BYTES_MAX];
} copy;
static struct memphis_stacks chains;
static __u64 chain[DEPTH];
static unsigned int chain_depth;
static int chain_error;

/* Copies the part of the stack that begins at the stack pointer. The function is inlined, so that the registers are those of its caller. */
__attribute__((always_inline)) static inline void copy_stack(void)
{
	__u64 above;

	__asm__ volatile("lea 0(%%rip), %0\n"
			 "mov %%rsp, %1\n"
			 "mov %%rbp, %2"
			 : "=r"(copy.head.ip), "=r"(copy.head.sp), "=r"(copy.head.bp));
	above = copy.head.sp < stacks.high ? stacks.high - copy.head.sp : 0;
	copy.head.bytes = above < sizeof(copy.bytes) ? (__u32)above : (__u32)sizeof(copy.bytes);
	memcpy(copy.bytes, (const void *)(uintptr_t)copy.head.sp, copy.head.bytes);
}

/* Stand-in for malloc(): the walk starts with its caller. */
__attribute__((noinline)) static void *allocate(void)
{
	id = memphis_stack_capture(&stacks, __builtin_frame_address(0), DEPTH);
	our_depth = memphis_stack_walk(&stacks, __builtin_frame_address(0), ours, DEPTH);
	frame_count = memphis_stack_frames(&stacks, __builtin_frame_address(0), frames, &known);
	their_depth = 0;
	_Unwind_Backtrace(visit, NULL);
	copy_stack();
	chain_error = memphis_stack_walk_copy(&chains, &copy.head, chain, DEPTH, &chain_depth);
	__asm__ volatile(""); /* no tail call: the frame must stay */
	return ours;
}

/* Keeps many values live, so that the compiler uses every register, including the frame pointer. */
__attribute__((noinline)) static long busy(long a, long b, long c, long d, long e, long f)
{
	volatile long keep = a * b;
	long g = a + b, h = b * c, i = c - d, j = d * e, k = e + f, l = f * a, m = a - c, n = b + d;

	allocate();
	return keep + g * h + i * j + k * l + m * n + a + b + c + d + e + f;
}

__attribute__((noinline)) static long with_array(size_t bytes)
{
	char *space = alloca(bytes);

	memset(space, 1, bytes);
	return busy(space[0], 2, 3, 4, 5, 6) + space[bytes - 1];
}

__attribute__((noinline)) static long recursive(int depth)
{
	long r = depth ? recursive(depth - 1) : with_array(1000);

	__asm__ volatile("" : "+r"(r));
	return r + depth;
}

static int compare(const void *a, const void *b)
{
	(void)a;
	(void)b;
	allocate();
	return 0;
}

static void bounds_of_self(void)
{
	pthread_attr_t attr;
	void *low;
	size_t bytes;

	pthread_getattr_np(pthread_self(), &attr);
	pthread_attr_getstack(&attr, &low, &bytes);
	pthread_attr_destroy(&attr);
	stacks.low = (__u64)low;
	stacks.high = stacks.low + bytes;
}

/* Checks that the stack stored under `id` equals the last walk. */
static int is_stored(void)
{
	const struct memphis_stack_block *block;
	struct memphis_stack header;
	__u64 at;

	for (block = stacks.first; block; block = block->next)
		for (at = 0; at < block->used; at += 1 + header.depth) {
			memcpy(&header, &block->words[at], sizeof(header));
			if (header.id == id)
				return header.depth == our_depth &&
				       !memcmp(&block->words[at + 1], ours, 8 * our_depth);
		}
	return 0;
}

/* The callers found in the copy are those of the walk, if the copy was long enough for it. */
static int has_same_chain(void)
{
	return chain_depth == our_depth && !memcmp(chain, ours, 8 * our_depth);
}

/* Two callers of the same function, with frames at the same stack address. */
__attribute__((noinline)) static long one_way(void)
{
	return busy(1, 2, 3, 4, 5, 6) + 1;
}

__attribute__((noinline)) static long other_way(void)
{
	return busy(6, 5, 4, 3, 2, 1) + 2;
}

/* Checks that both walks yield the same return addresses; the unwinder's walk starts one frame deeper. */
static int same(unsigned int at_least)
{
	unsigned int i, common = their_depth - 1 < our_depth ? their_depth - 1 : our_depth;

	for (i = 0; i < common; i++)
		if (ours[i] != theirs[i + 1])
			break;
	if (i == common && common >= at_least && is_stored() && has_same_chain())
		return 1;
	printf("# in the copy: %u frames, error %d\n", chain_depth, chain_error);
	printf("# %u frames, the unwinder's %u, they differ at %u: 0x%llx, 0x%llx\n", our_depth,
	       their_depth - 1, i, ours[i], theirs[i + 1]);
	return 0;
}

static void *in_thread(void *unused)
{
	(void)unused;
	memset(&stacks, 0, sizeof(stacks));
	bounds_of_self();
	recursive(5);
	ok(same(8), "the walk in another thread reaches its start");
	memphis_stack_free(&stacks);
	return NULL;
}

/* Compares the frames' pcs and CFAs, for the first `count` callers of allocate(). */
static int same_frames(unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		if (i >= frame_count || frames[i].pc != theirs[i + 1] || frames[i].cfa != their_cfas[i + 2])
			return 0;
	return 1;
}

/* Has an over-aligned frame of variable size: its CFA is then stored in the frame. */
__attribute__((noinline, noclone)) static long with_alignment(size_t bytes)
{
	char space[256] __attribute__((aligned(128)));
	char *more = alloca(bytes);

	memset(space, 1, sizeof(space));
	memset(more, 1, bytes);
	__asm__ volatile("" : : "r"(space), "r"(more) : "memory");
	return busy(space[0], 2, 3, 4, 5, 6) + space[255] + more[bytes - 1];
}

/* Copies that are too short or not understood: no PC that is found is wrong. */
static void obstacles(void)
{
	struct memphis_user_stack whole;
	unsigned int full, short_ones = 0, wrong = 0;
	__u64 start = 0, end = 0;
	__u32 bytes, stored;

	recursive(5);
	whole = copy.head;
	full = chain_depth;
	for (bytes = 0; bytes <= 1200; bytes++) {
		copy.head.bytes = bytes;
		short_ones += memphis_stack_walk_copy(&chains, &copy.head, chain, DEPTH, &chain_depth) ==
			      MEMPHIS_NO_CALLERS_SHORT;
		wrong += chain_depth >= full || memcmp(chain, ours, 8 * chain_depth);
	}
	is(short_ones, 1201, "a copy that ends early is said to be short");
	is(wrong, 0, "the callers in a copy that ends early are right as far as they go");
	copy.head = whole;
	is(memphis_stack_walk_copy(&chains, &copy.head, chain, 3, &chain_depth), 0,
	   "a walk that ends at the requested depth has no error");
	is(chain_depth, 3, "the walk of a copy ends at the requested depth");
	copy.head.ip = 12345;
	is(memphis_stack_walk_copy(&chains, &copy.head, chain, DEPTH, &chain_depth),
	   MEMPHIS_NO_CALLERS_NO_RULE, "an instruction outside of all code has no rule");
	is(chain_depth, 0, "and no callers");
	ok(memphis_cfi_function((__u64)(uintptr_t)allocate, &start, &end) &&
		   start == (__u64)(uintptr_t)allocate && whole.ip >= start && whole.ip < end,
	   "the bounds of a function are found");
	ok(!memphis_cfi_function(12345, &start, &end), "an address outside of all code is in no function");
	stored = memphis_stack_store(&chains, ours, 3);
	ok(stored && memphis_stack_store(&chains, ours, 3) == stored, "equal chains have one number");
	ok(memphis_stack_store(&chains, ours, 2) == stored + 1, "a new chain has the next number");
	memphis_stack_free(&chains);
}

/* Finds the frame of an address by a sample in allocate(), the innermost function. */
static int find_frame(__u64 address, struct memphis_sampled_frame *frame)
{
	return memphis_stack_frame_in_copy(&chains, &copy.head, (__u64)(uintptr_t)allocate + 1, address,
					   frame);
}

/* In which frames data lie. */
static void frames_of_data(void)
{
	struct memphis_sampled_frame frame;
	unsigned int i, wrong = 0;

	recursive(5);
	for (i = 1; i < 8; i++) {
		wrong += find_frame(their_cfas[i], &frame) || frame.low != their_cfas[i] ||
			 frame.cfa != their_cfas[i + 1] || frame.pc != theirs[i] || frame.flags;
		wrong += find_frame(their_cfas[i + 1] - 1, &frame) || frame.low != their_cfas[i] ||
			 frame.pc != theirs[i];
	}
	is(wrong, 0, "the frames of callers in which data lie are found, with their bounds");
	ok(!find_frame(copy.head.sp, &frame) && frame.flags == MEMPHIS_FRAME_INNERMOST &&
		   frame.cfa == their_cfas[1] && frame.pc == (__u64)(uintptr_t)allocate + 2,
	   "the innermost frame has the address of the sample");
	ok(!find_frame(copy.head.sp - 128, &frame) && frame.low == copy.head.sp - 128,
	   "the memory that a function may use below the stack pointer is part of its frame");
	is(find_frame(copy.head.sp - 129, &frame), MEMPHIS_NO_CALLERS_SKID,
	   "what lies further below was another frame's");
	is(memphis_stack_frame_in_copy(&chains, &copy.head, (__u64)(uintptr_t)find_frame + 1, their_cfas[3],
				       &frame),
	   MEMPHIS_NO_CALLERS_SKID, "a sample whose function has returned meanwhile has no frame");
	is(memphis_stack_frame_in_copy(&chains, &copy.head, theirs[3] - 1, copy.head.sp, &frame),
	   MEMPHIS_NO_CALLERS_SKID, "neither has one in a caller of the function whose frame it is");
	copy.head.bytes = 0;
	is(find_frame(copy.head.sp, &frame), 0, "the innermost frame is found without a copy of the stack");
	is(find_frame(their_cfas[1], &frame), MEMPHIS_NO_CALLERS_SHORT, "that of its caller is not");
	copy.head.bytes = (__u32)(their_cfas[3] - copy.head.sp);
	ok(!find_frame(their_cfas[3], &frame) && frame.low == their_cfas[3],
	   "a copy of what lies below the data suffices");
	copy.head.ip = (__u64)(uintptr_t)allocate;
	ok(!find_frame(copy.head.sp, &frame) &&
		   frame.flags == (MEMPHIS_FRAME_INNERMOST | MEMPHIS_FRAME_NO_BP),
	   "the frame pointer is not known where the innermost function has its caller's");
	memphis_stack_free(&chains);
}

int main(void)
{
	int two[2] = {2, 1};
	__u32 first;
	volatile __u32 times = 3; /* one call instruction, not three */
	__u32 kept[3], i, wrong = 0;
	pthread_t thread;

	is(memphis_stack_depth(&(struct memphis_stacks){.last_id = 4095}, UINT64_MAX), 32,
	   "a stack has 32 functions at most");
	is(memphis_stack_depth(&(struct memphis_stacks){.last_id = 4096}, UINT64_MAX), 8,
	   "of a thread that has 4096 stacks, a further one has 8");
	is(memphis_stack_depth(&(struct memphis_stacks){.last_id = 4096}, 40), 40,
	   "the setting counts for all stacks");
	memphis_cfi_setup();
	bounds_of_self();
	busy(1, 2, 3, 4, 5, 6);
	ok(same(2), "the walk passes a function that uses every register");
	with_array(5000);
	ok(same(3), "the walk passes a frame of variable size");
	ok(same_frames(3), "the CFAs around a frame of variable size are right");
	with_alignment(5000);
	ok(same(3), "the walk passes an over-aligned frame");
	ok(same_frames(3), "the CFAs around an over-aligned frame are right");
	recursive(0);
	first = id;
	recursive(20);
	ok(same(23), "the walk passes a recursion");
	ok(id && id != first, "recursions of different depth have different stacks");
	qsort(two, 2, sizeof(two[0]), compare);
	ok(same(3), "the walk passes a library that calls back");
	for (i = 0; i < times; i++) {
		recursive(20);
		kept[i] = id;
	}
	ok(kept[0] == kept[1] && kept[1] == kept[2], "a known stack keeps its number");
	for (i = 0; i < 2 * times; i++) {
		if (i % 2)
			other_way();
		else
			one_way();
		wrong += !same(3);
		kept[i % 2] = id;
	}
	is(wrong, 0,
	   "the walks of alternating callers are right, although their frames have the same addresses");
	ok(kept[0] != kept[1], "alternating callers have different stacks");
	is(memphis_stack_walk(&stacks, __builtin_frame_address(0), ours, 1), 1,
	   "the walk ends at the requested depth");

	obstacles();
	frames_of_data();
	stacks.high = stacks.low + 64;
	allocate();
	is(our_depth, 1, "on a stack with unknown bounds the walk returns the caller only");
	memphis_stack_free(&stacks);
	pthread_create(&thread, NULL, in_thread, NULL);
	pthread_join(thread, NULL);
	is(memphis_cfi_rule(12345, &work).kind, MEMPHIS_RULE_NONE,
	   "an address outside of all code has no rule");
	return finish();
}
