/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The allocation functions that the program calls: each does what the real one does, and tells of blocks from
 * memphis_alloc_min on. Releases of smaller blocks are known by their usable size, without any look-up.
 */
#include <stdarg.h>
#include <string.h>
#include <sys/auxv.h>

#include "alloc.h"
#include "clock.h"
#include "env.h"
#include "real.h"
#include "thread.h"

#define PUBLIC __attribute__((visibility("default")))
#define FRAME  __builtin_frame_address(0)

__u64 memphis_alloc_min = UINT64_MAX;

/* The prototypes that C library headers would give them with attributes that we do not want. */
PUBLIC void *malloc(size_t bytes);
PUBLIC void *calloc(size_t count, size_t bytes);
PUBLIC void *realloc(void *block, size_t bytes);
PUBLIC void *reallocarray(void *block, size_t count, size_t bytes);
PUBLIC void free(void *block);
PUBLIC int posix_memalign(void **block, size_t alignment, size_t bytes);
PUBLIC void *aligned_alloc(size_t alignment, size_t bytes);
PUBLIC void *memalign(size_t alignment, size_t bytes);
PUBLIC void *valloc(size_t bytes);
PUBLIC void *pvalloc(size_t bytes);
PUBLIC int dlclose(void *handle);

void memphis_alloc_setup(void)
{
	memphis_env_load();
	memphis_cfi_setup();
	memphis_alloc_update();
}

void memphis_alloc_update(void)
{
	/* Without the device, no sample will ever need a name. */
	if (memphis_settings.disable || getauxval(AT_SECURE) || access(memphis_settings.device, F_OK)) {
		memphis_alloc_stop();
		return;
	}
	memphis_clock_setup();
	__atomic_store_n(&memphis_alloc_min, memphis_settings.alloc_min_bytes, __ATOMIC_RELAXED);
}

void memphis_alloc_stop(void)
{
	__atomic_store_n(&memphis_alloc_min, UINT64_MAX, __ATOMIC_RELAXED);
}

/* Push one event of the calling thread. Its time is a stamp (clock.h) until the drain converts it;
 * `memphis_busy` is held. */
static void push(struct memphis_thread *thread, __u32 kind, __u64 stamp, const void *address, __u64 bytes,
		 const void *previous, void *frame)
{
	struct memphis_allocation event = {
		.time_ns = stamp,
		.address = (__u64)(uintptr_t)address,
		.size_bytes = bytes,
		.previous = (__u64)(uintptr_t)previous,
		.kind = kind,
	};
	int allocates = kind == MEMPHIS_ALLOCATION_MALLOC || kind == MEMPHIS_ALLOCATION_MAP;

	if (allocates)
		event.stack = memphis_stack_capture(&thread->stacks, frame,
						    (unsigned int)memphis_settings.stack_depth);
	if (memphis_events_push(&thread->events, &event))
		atomic_fetch_add_explicit(allocates ? &thread->allocations_left_out
						    : &thread->releases_left_out,
					  1, memory_order_relaxed);
}

/* The calling thread, with `memphis_busy` taken; NULL: what happens is the library's own doing. */
static struct memphis_thread *enter(void)
{
	struct memphis_thread *thread;

	if (memphis_busy)
		return NULL;
	thread = memphis_thread_self();
	if (thread)
		memphis_busy++;
	return thread;
}

static __attribute__((noinline)) void note(__u32 kind, const void *address, __u64 bytes, void *frame)
{
	int saved = errno;
	struct memphis_thread *thread = enter();

	if (thread) {
		push(thread, kind, kind == MEMPHIS_ALLOCATION_FREE ? stamp_before() : stamp_after(), address,
		     bytes, NULL, frame);
		memphis_busy--;
	}
	errno = saved;
}

/* A block that moved or changed its size: gone at `before`, there again now. */
static __attribute__((noinline)) void note_change(const void *old, __u64 before, int released,
						  const void *block, __u64 bytes, void *frame)
{
	int saved = errno;
	struct memphis_thread *thread = enter();

	if (thread) {
		if (released)
			push(thread, MEMPHIS_ALLOCATION_FREE, before, old, 0, NULL, NULL);
		if (block && bytes >= memphis_alloc_min)
			push(thread, MEMPHIS_ALLOCATION_MALLOC, stamp_after(), block, bytes, old, frame);
		memphis_busy--;
	}
	errno = saved;
}

static inline int is_tracked(void *block)
{
	return memphis_tracking() && memphis_real.malloc_usable_size(block) >= memphis_alloc_min;
}

static inline void *noted(void *block, size_t bytes, void *frame)
{
	if (unlikely(bytes >= memphis_alloc_min) && block)
		note(MEMPHIS_ALLOCATION_MALLOC, block, bytes, frame);
	return block;
}

void *malloc(size_t bytes)
{
	return noted(memphis_real.malloc(bytes), bytes, FRAME);
}

void *calloc(size_t count, size_t bytes)
{
	/* The product can't overflow once the real one gave a block. */
	return noted(memphis_real.calloc(count, bytes), count * bytes, FRAME);
}

void free(void *block)
{
	if (block && unlikely(is_tracked(block)))
		note(MEMPHIS_ALLOCATION_FREE, block, 0, NULL);
	memphis_real.free(block);
}

static inline void *change(void *block, size_t bytes, void *frame)
{
	int tracked = block && is_tracked(block);
	__u64 before = tracked ? stamp_before() : 0;
	uintptr_t old = (uintptr_t)block;
	void *moved;

	if (likely(!tracked && bytes < memphis_alloc_min))
		return memphis_real.realloc(block, bytes);
	moved = memphis_real.realloc(block, bytes);
	/* NULL means failure, the old block lives on, but for size 0, which releases it. */
	if (moved || !bytes)
		note_change((void *)old, before, tracked, moved, bytes, frame);
	return moved;
}

void *realloc(void *block, size_t bytes)
{
	return change(block, bytes, FRAME);
}

void *reallocarray(void *block, size_t count, size_t bytes)
{
	size_t product;

	if (__builtin_mul_overflow(count, bytes, &product)) {
		errno = ENOMEM;
		return NULL;
	}
	return change(block, product, FRAME);
}

int posix_memalign(void **block, size_t alignment, size_t bytes)
{
	int err = memphis_real.posix_memalign(block, alignment, bytes);

	if (!err)
		noted(*block, bytes, FRAME);
	return err;
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
	return noted(memphis_real.aligned_alloc(alignment, bytes), bytes, FRAME);
}

void *memalign(size_t alignment, size_t bytes)
{
	return noted(memphis_real.memalign(alignment, bytes), bytes, FRAME);
}

void *valloc(size_t bytes)
{
	return noted(memphis_real.valloc(bytes), bytes, FRAME);
}

void *pvalloc(size_t bytes)
{
	return noted(memphis_real.pvalloc(bytes), bytes, FRAME);
}

/* Maps: `gone` (if any) ended at `before`, `start` (if any) is there now. */
static __attribute__((noinline)) void note_map(const void *gone, __u64 gone_bytes, __u64 before,
					       const void *start, __u64 bytes, const void *previous,
					       void *frame)
{
	int saved = errno;
	struct memphis_thread *thread = enter();

	if (thread) {
		if (gone)
			push(thread, MEMPHIS_ALLOCATION_UNMAP, before, gone, gone_bytes, NULL, NULL);
		if (start)
			push(thread, MEMPHIS_ALLOCATION_MAP, stamp_after(), start, bytes, previous, frame);
		memphis_busy--;
	}
	errno = saved;
}

PUBLIC void *mmap(void *hint, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	int fixed = !!(flags & MAP_FIXED);
	__u64 before = fixed ? stamp_before() : 0;
	void *start = memphis_real.mmap(hint, bytes, protection, flags, fd, offset);

	if (start != MAP_FAILED && bytes >= memphis_alloc_min)
		note_map(fixed ? start : NULL, bytes, before, start, bytes, NULL, FRAME);
	return start;
}

/* The same where off_t has 64 bits, which it always has here. */
PUBLIC void *mmap64(void *hint, size_t bytes, int protection, int flags, int fd, off_t offset)
	__attribute__((alias("mmap")));

PUBLIC int munmap(void *start, size_t bytes)
{
	__u64 before = bytes >= memphis_alloc_min ? stamp_before() : 0;
	int err = memphis_real.munmap(start, bytes);

	if (!err && bytes >= memphis_alloc_min)
		note_map(start, bytes, before, NULL, 0, NULL, NULL);
	return err;
}

PUBLIC void *mremap(void *start, size_t bytes, size_t new_bytes, int flags, ...)
{
	__u64 before = stamp_before();
	void *target = NULL, *moved;
	va_list args;

	va_start(args, flags);
	if (flags & (MREMAP_FIXED | MREMAP_DONTUNMAP))
		target = va_arg(args, void *);
	va_end(args);
	moved = memphis_real.mremap(start, bytes, new_bytes, flags, target);
	if (moved != MAP_FAILED && (bytes >= memphis_alloc_min || new_bytes >= memphis_alloc_min))
		note_map(flags & MREMAP_DONTUNMAP ? NULL : start, bytes, before, moved, new_bytes, start,
			 FRAME);
	return moved;
}

int dlclose(void *handle)
{
	int err = memphis_real.dlclose(handle);

	memphis_stack_forget();
	return err;
}
