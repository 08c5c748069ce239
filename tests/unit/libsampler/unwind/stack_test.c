/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Call stacks against those of the compiler's own unwinder, frame by frame, in code without frame pointers.
 * If it fails, heap blocks get the wrong allocation site.
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
static struct memphis_walked_frame frames[MEMPHIS_STANDING_MAX];
static struct memphis_known_walk known;
static unsigned int frame_count;
static unsigned int our_depth, their_depth;
static __u32 id;

static _Unwind_Reason_Code visit(struct _Unwind_Context *counters, void *unused)
{
	(void)unused;
	if (their_depth < DEPTH) {
		/* The stack pointer: where the frame of what it called ends. */
		their_cfas[their_depth] = _Unwind_GetCFA(counters);
		theirs[their_depth++] = _Unwind_GetIP(counters);
	}
	return _URC_NO_REASON;
}

/* Stands for malloc(): the walk starts with its caller. */
__attribute__((noinline)) static void *allocate(void)
{
	id = memphis_stack_capture(&stacks, __builtin_frame_address(0), DEPTH);
	our_depth = memphis_stack_walk(&stacks, __builtin_frame_address(0), ours, DEPTH);
	frame_count = memphis_stack_frames(&stacks, __builtin_frame_address(0), frames, &known);
	their_depth = 0;
	_Unwind_Backtrace(visit, NULL);
	__asm__ volatile(""); /* no tail call: the frame must be there */
	return ours;
}

/* Many live values, so that the compiler uses every register, the frame pointer's included. */
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

/* The stack that was stored under `id` is the one that the walk just saw. */
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

/* Two callers of the same function from the same height of the stack. */
__attribute__((noinline)) static long one_way(void)
{
	return busy(1, 2, 3, 4, 5, 6) + 1;
}

__attribute__((noinline)) static long other_way(void)
{
	return busy(6, 5, 4, 3, 2, 1) + 2;
}

/* Both walks saw the same return addresses; the unwinder's starts one frame further in. */
static int same(unsigned int at_least)
{
	unsigned int i, common = their_depth - 1 < our_depth ? their_depth - 1 : our_depth;

	for (i = 0; i < common; i++)
		if (ours[i] != theirs[i + 1])
			break;
	if (i == common && common >= at_least && is_stored())
		return 1;
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
	ok(same(8), "in another thread, up to its start");
	memphis_stack_free(&stacks);
	return NULL;
}

/* The frames' ends, of the first `count` callers of allocate(). */
static int same_frames(unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		if (i >= frame_count || frames[i].pc != theirs[i + 1] || frames[i].cfa != their_cfas[i + 2])
			return 0;
	return 1;
}

/* Its frame is aligned and of variable size: then its end is a word in it. */
__attribute__((noinline, noclone)) static long with_alignment(size_t bytes)
{
	char space[256] __attribute__((aligned(128)));
	char *more = alloca(bytes);

	memset(space, 1, sizeof(space));
	memset(more, 1, bytes);
	__asm__ volatile("" : : "r"(space), "r"(more) : "memory");
	return busy(space[0], 2, 3, 4, 5, 6) + space[255] + more[bytes - 1];
}

int main(void)
{
	int two[2] = {2, 1};
	__u32 first;
	volatile __u32 times = 3; /* one call instruction, not three */
	__u32 kept[3], i, wrong = 0;
	pthread_t thread;

	memphis_cfi_setup();
	bounds_of_self();
	busy(1, 2, 3, 4, 5, 6);
	ok(same(2), "through a function that uses every register");
	with_array(5000);
	ok(same(3), "through a frame of variable size");
	ok(same_frames(3), "and with the frames' ends");
	with_alignment(5000);
	ok(same(3), "through a frame of large alignment");
	ok(same_frames(3), "and with the frames' ends");
	recursive(0);
	first = id;
	recursive(20);
	ok(same(23), "through recursion");
	ok(id && id != first, "another depth is another stack");
	qsort(two, 2, sizeof(two[0]), compare);
	ok(same(3), "through a library that calls back");
	for (i = 0; i < times; i++) {
		recursive(20);
		kept[i] = id;
	}
	ok(kept[0] == kept[1] && kept[1] == kept[2], "a stack that was there before keeps its number");
	for (i = 0; i < 2 * times; i++) {
		if (i % 2)
			other_way();
		else
			one_way();
		wrong += !same(3);
		kept[i % 2] = id;
	}
	is(wrong, 0, "callers that take turns are told apart, though their frames lie at the same place");
	ok(kept[0] != kept[1], "by their numbers");
	is(memphis_stack_walk(&stacks, __builtin_frame_address(0), ours, 1), 1,
	   "the depth asked for is kept");

	stacks.high = stacks.low + 64;
	allocate();
	is(our_depth, 1, "on a stack of unknown bounds only the caller is told");
	memphis_stack_free(&stacks);
	pthread_create(&thread, NULL, in_thread, NULL);
	pthread_join(thread, NULL);
	is(memphis_cfi_rule(12345).kind, MEMPHIS_RULE_NONE, "an address outside of all code has no rule");
	return finish();
}
