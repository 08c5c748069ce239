/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interposition of allocation functions. Each wrapper calls the real function, and records an event if the
 * block has at least memphis_alloc_min bytes. The usable size of a block shows at its release whether it was
 * large enough, without a look-up. data/byte_sampler.h also takes some of the smaller blocks, and
 * data/taken.h recognises the releases of these.
 */
#include "base/loaded.h"
#include "base/clock.h"
#include "base/proc.h"
#include "core/alloc_min.h"
#include "data/byte_sampler.h"
#include "data/taken.h"
#include "record/drain.h"
#include "settings/env.h"
#include "record/maps.h"
#include "interpose/next_symbols.h"
#include "interpose/note.h"
#include "core/session.h"
#include "core/thread.h"

#define LIST_MS 1000 /* maximum time for which dlclose() waits for a list of maps */

#define FRAME __builtin_frame_address(0)

/* Declared here because the headers of the C library add attributes that do not fit the definitions below. */
MEMPHIS_ALLOCATORS(MEMPHIS_DECLARE)
/* Functions of C23 that do the same as free(). They are not looked up, because most C libraries do not have them. */
PUBLIC void MEMPHIS_ENTRY(free_sized)(void *block, size_t bytes);
PUBLIC void MEMPHIS_ENTRY(free_aligned_sized)(void *block, size_t alignment, size_t bytes);
PUBLIC int MEMPHIS_ENTRY(dlclose)(void *handle);

static __attribute__((noinline)) void note_block(const void *block, __u64 bytes, void *frame)
{
	struct memphis_thread_record *thread = memphis_note_enter(MEMPHIS_ALLOCATION_MALLOC);

	if (thread) {
		memphis_note(thread, MEMPHIS_ALLOCATION_MALLOC, stamp_now(), block, bytes, NULL, frame);
		memphis_note_leave();
	}
}

static __attribute__((noinline)) void note_release(const void *block)
{
	struct memphis_thread_record *thread = memphis_note_enter(MEMPHIS_ALLOCATION_FREE);

	if (thread) {
		memphis_note(thread, MEMPHIS_ALLOCATION_FREE, stamp_now(), block, 0, NULL, NULL);
		memphis_note_leave();
	}
}

/* Records a small block if it is taken. */
static __attribute__((noinline)) void note_small(const void *block, __u64 bytes, void *frame)
{
	struct memphis_thread_record *thread;
	__u64 mean = memphis_byte_sampler_takes(&memphis_own_sampler, bytes), stamp;

	if (!mean)
		return;
	thread = memphis_note_enter(MEMPHIS_ALLOCATION_SMALL);
	if (!thread)
		return;
	stamp = stamp_after();
	if (!memphis_taken_add(block)) {
		memphis_note_left_out(thread, MEMPHIS_ALLOCATION_SMALL);
		memphis_taken_note_loss(stamp);
	} else if (!memphis_note(thread, MEMPHIS_ALLOCATION_SMALL, stamp, block, bytes, (void *)mean,
				 frame)) {
		memphis_taken_remove(block);
		memphis_taken_note_loss(stamp);
	}
	memphis_note_leave();
}

/*
 * Records a realloc(). Records the release of `old` at the time `before` if its allocation was recorded
 * (`released`). Records the allocation of `block` if it is large enough.
 */
static __attribute__((noinline)) void note_change(const void *old, __u64 before, int released,
						  const void *block, __u64 bytes, void *frame)
{
	const int allocated = block && bytes >= memphis_block_min;
	struct memphis_thread_record *thread =
		memphis_note_enter(allocated ? MEMPHIS_ALLOCATION_MALLOC : MEMPHIS_ALLOCATION_FREE);

	if (thread) {
		if (released)
			memphis_note(thread, MEMPHIS_ALLOCATION_FREE, before, old, 0, NULL, NULL);
		if (allocated)
			memphis_note(thread, MEMPHIS_ALLOCATION_MALLOC, stamp_now(), block, bytes,
				     released ? old : NULL, frame);
		memphis_note_leave();
	}
}

/*
 * Returns 1 if a block is large enough to be tracked. The usable size may be large enough even if a smaller
 * size was requested.
 */
static inline int is_large_block(void *block)
{
	return memphis_block_min != UINT64_MAX && memphis_next.malloc_usable_size(block) >= memphis_block_min;
}

/*
 * Records the new block if necessary. Returns the block. Always inlined: the compiler could turn a call at
 * the end of the caller into a jump, which would overwrite the caller's frame.
 */
static inline __attribute__((always_inline)) void *note_new(void *block, size_t bytes, void *frame)
{
	if (unlikely(!block))
		return block;
	if (unlikely(bytes >= memphis_block_min))
		note_block(block, bytes, frame);
	else if (unlikely(memphis_byte_sampler_pass(&memphis_own_sampler, bytes)))
		note_small(block, bytes, frame);
	return block;
}

/* Slow path of free(), for a block that the filter reports as possibly taken. Returns 1 if its release must be recorded. */
static __attribute__((noinline)) int forget_block(void *block)
{
	return (memphis_taken_remove(block) && memphis_block_min != UINT64_MAX) || is_large_block(block);
}

void *MEMPHIS_ENTRY(malloc)(size_t bytes)
{
	return note_new(memphis_next.malloc(bytes), bytes, FRAME);
}

void *MEMPHIS_ENTRY(calloc)(size_t count, size_t bytes)
{
	/* If the real function has returned a block, the product did not overflow. */
	return note_new(memphis_next.calloc(count, bytes), count * bytes, FRAME);
}

static inline void release_block(void *block)
{
	if (block && unlikely(memphis_taken_maybe(block) ? forget_block(block) : is_large_block(block)))
		note_release(block);
	memphis_next.free(block);
}

void MEMPHIS_ENTRY(free)(void *block)
{
	release_block(block);
}

void MEMPHIS_ENTRY(free_sized)(void *block, UNUSED size_t bytes)
{
	release_block(block);
}

void MEMPHIS_ENTRY(free_aligned_sized)(void *block, UNUSED size_t alignment, UNUSED size_t bytes)
{
	release_block(block);
}

/*
 * Always inlined: the compiler could turn a call at the end of the caller into a jump, which would overwrite
 * the frame from which the stack is walked.
 */
static inline __attribute__((always_inline)) void *resize_block(void *block, size_t bytes, void *frame)
{
	/*
	 * Remove the entry before the block is released, because another thread may get the same address
	 * right after the release.
	 */
	int taken = block && unlikely(memphis_taken_maybe(block)) && memphis_taken_remove(block);
	int tracked = block && ((taken && memphis_block_min != UINT64_MAX) || is_large_block(block));
	__u64 before = tracked ? stamp_now() : 0;
	uintptr_t old = (uintptr_t)block;
	void *moved = memphis_next.realloc(block, bytes);

	/* NULL with a size other than 0 means failure, and the old block is unchanged. A size of 0 releases the block. */
	if (unlikely(!moved && bytes)) {
		if (taken && !memphis_taken_add((void *)old))
			note_change((void *)old, before, tracked, NULL, 0, frame);
		return moved;
	}
	if (unlikely(tracked || bytes >= memphis_block_min))
		note_change((void *)old, before, tracked, moved, bytes, frame);
	/* Sample the size as if the old block had been released and a new block had been allocated. */
	if (moved && bytes < memphis_block_min &&
	    unlikely(memphis_byte_sampler_pass(&memphis_own_sampler, bytes)))
		note_small(moved, bytes, frame);
	return moved;
}

void *MEMPHIS_ENTRY(realloc)(void *block, size_t bytes)
{
	return resize_block(block, bytes, FRAME);
}

void *MEMPHIS_ENTRY(reallocarray)(void *block, size_t count, size_t bytes)
{
	size_t product;

	if (__builtin_mul_overflow(count, bytes, &product)) {
		errno = ENOMEM;
		return NULL;
	}
	return resize_block(block, product, FRAME);
}

int MEMPHIS_ENTRY(posix_memalign)(void **block, size_t alignment, size_t bytes)
{
	int err = memphis_next.posix_memalign(block, alignment, bytes);

	if (!err)
		note_new(*block, bytes, FRAME);
	return err;
}

void *MEMPHIS_ENTRY(aligned_alloc)(size_t alignment, size_t bytes)
{
	return note_new(memphis_next.aligned_alloc(alignment, bytes), bytes, FRAME);
}

void *MEMPHIS_ENTRY(memalign)(size_t alignment, size_t bytes)
{
	return note_new(memphis_next.memalign(alignment, bytes), bytes, FRAME);
}

void *MEMPHIS_ENTRY(valloc)(size_t bytes)
{
	return note_new(memphis_next.valloc(bytes), bytes, FRAME);
}

void *MEMPHIS_ENTRY(pvalloc)(size_t bytes)
{
	return note_new(memphis_next.pvalloc(bytes), bytes, FRAME);
}

/*
 * Called before an object is unloaded. Requests a list of maps if an object was loaded since the last
 * request. Without this list, no list might contain the unloaded object, and its samples could not be
 * attributed. `loads`: number of objects loaded so far.
 */
static void request_maps(__u64 loads)
{
	static _Atomic __u64 listed; /* value of `loads` at the latest request */
	const struct memphis_session *s = &memphis_session;
	int cancel;

	if (atomic_load(&s->state) != MEMPHIS_SESSION_READY || memphis_busy || s->identity.pid != getpid() ||
	    memphis_is_copy() || atomic_exchange(&listed, loads) == loads)
		return;
	cancel = memphis_enter();
	memphis_drain_request(MEMPHIS_DRAIN_NOW, LIST_MS);
	memphis_leave(cancel);
}

int MEMPHIS_ENTRY(dlclose)(void *handle)
{
	const struct memphis_loads before = memphis_loaded_counts();
	int err;

	request_maps(before.loads);
	memphis_python_forget();
	err = memphis_next.dlclose(handle);
	memphis_python_unloaded();

	if (memphis_loaded_counts().unloads != before.unloads)
		memphis_maps_unloaded();
	memphis_tls_list();
	memphis_stack_forget();
	return err;
}
