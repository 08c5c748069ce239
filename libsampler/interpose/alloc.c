/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interposition of allocation functions: each wrapper calls the real function and records an event if the block has at least
 * memphis_alloc_min bytes. Releases of smaller blocks are recognised by their usable size, without a look-up. Of the smaller blocks,
 * data/byte_sampler.h takes some; data/taken.h recognises their releases.
 */
#include <string.h>
#include <sys/shm.h>

#include "base/clock.h"
#include "base/proc.h"
#include "core/alloc_min.h"
#include "data/byte_sampler.h"
#include "data/taken.h"
#include "record/drain.h"
#include "settings/env.h"
#include "record/maps.h"
#include "record/process_file.h"
#include "interpose/next_symbols.h"
#include "interpose/note.h"
#include "core/session.h"
#include "core/thread.h"

#define LIST_MS 1000 /* longest wait of dlclose() for a list of maps */

#define PUBLIC __attribute__((visibility("default")))
#define FRAME  __builtin_frame_address(0)

#define QUOTED(name) #name
#define NAME(entry)  QUOTED(entry)

/* Declared here because the C library headers add attributes that do not suit the definitions below. */
PUBLIC void *MEMPHIS_ENTRY(malloc)(size_t bytes);
PUBLIC void *MEMPHIS_ENTRY(calloc)(size_t count, size_t bytes);
PUBLIC void *MEMPHIS_ENTRY(realloc)(void *block, size_t bytes);
PUBLIC void *MEMPHIS_ENTRY(reallocarray)(void *block, size_t count, size_t bytes);
PUBLIC void MEMPHIS_ENTRY(free)(void *block);
PUBLIC int MEMPHIS_ENTRY(posix_memalign)(void **block, size_t alignment, size_t bytes);
PUBLIC void *MEMPHIS_ENTRY(aligned_alloc)(size_t alignment, size_t bytes);
PUBLIC void *MEMPHIS_ENTRY(memalign)(size_t alignment, size_t bytes);
PUBLIC void *MEMPHIS_ENTRY(valloc)(size_t bytes);
PUBLIC void *MEMPHIS_ENTRY(pvalloc)(size_t bytes);
PUBLIC void *MEMPHIS_ENTRY(sbrk)(intptr_t bytes);
PUBLIC int MEMPHIS_ENTRY(brk)(void *end);
PUBLIC int MEMPHIS_ENTRY(dlclose)(void *handle);

static __attribute__((noinline)) void note_block(const void *block, __u64 bytes, void *frame)
{
	struct memphis_thread *thread = memphis_note_enter(MEMPHIS_ALLOCATION_MALLOC);

	if (thread) {
		memphis_note(thread, MEMPHIS_ALLOCATION_MALLOC, stamp_now(), block, bytes, NULL, frame);
		memphis_note_leave();
	}
}

static __attribute__((noinline)) void note_release(const void *block)
{
	struct memphis_thread *thread = memphis_note_enter(MEMPHIS_ALLOCATION_FREE);

	if (thread) {
		memphis_note(thread, MEMPHIS_ALLOCATION_FREE, stamp_now(), block, 0, NULL, NULL);
		memphis_note_leave();
	}
}

/* Records a small block if it is taken. */
static __attribute__((noinline)) void note_small(const void *block, __u64 bytes, void *frame)
{
	struct memphis_thread *thread;
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
 * Records a realloc(): the release of `old` at `before` if it was recorded (`released`), and the allocation of
 * `block` now if it is large enough.
 */
static __attribute__((noinline)) void note_change(const void *old, __u64 before, int released,
						  const void *block, __u64 bytes, void *frame)
{
	const int allocated = block && bytes >= memphis_block_min;
	struct memphis_thread *thread =
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

/* Returns 1 if a block is large enough to be tracked, which may be true even if a smaller size was requested. */
static inline int is_tracked(void *block)
{
	return memphis_block_min != UINT64_MAX && memphis_next.malloc_usable_size(block) >= memphis_block_min;
}

static inline void *noted(void *block, size_t bytes, void *frame)
{
	if (unlikely(!block))
		return block;
	if (unlikely(bytes >= memphis_block_min))
		note_block(block, bytes, frame);
	else if (unlikely(memphis_byte_sampler_pass(&memphis_own_sampler, bytes)))
		note_small(block, bytes, frame);
	return block;
}

/* Slow path of free(): the filter does not exclude that the block was taken. Returns 1 if its release is to be recorded. */
static __attribute__((noinline)) int ends(void *block)
{
	return (memphis_taken_remove(block) && memphis_block_min != UINT64_MAX) || is_tracked(block);
}

void *MEMPHIS_ENTRY(malloc)(size_t bytes)
{
	return noted(memphis_next.malloc(bytes), bytes, FRAME);
}

void *MEMPHIS_ENTRY(calloc)(size_t count, size_t bytes)
{
	/* If the real function has returned a block, the product did not overflow. */
	return noted(memphis_next.calloc(count, bytes), count * bytes, FRAME);
}

void MEMPHIS_ENTRY(free)(void *block)
{
	if (block && unlikely(memphis_taken_maybe(block) ? ends(block) : is_tracked(block)))
		note_release(block);
	memphis_next.free(block);
}

static inline void *change(void *block, size_t bytes, void *frame)
{
	/* Once the block is released, another thread may get its address: the entry is removed before. */
	int taken = block && unlikely(memphis_taken_maybe(block)) && memphis_taken_remove(block);
	int tracked = block && ((taken && memphis_block_min != UINT64_MAX) || is_tracked(block));
	__u64 before = tracked ? stamp_now() : 0;
	uintptr_t old = (uintptr_t)block;
	void *moved = memphis_next.realloc(block, bytes);

	/* NULL means failure, with the old block unchanged, unless the size is 0, which releases the block. */
	if (unlikely(!moved && bytes)) {
		if (taken && !memphis_taken_add((void *)old))
			note_change((void *)old, before, tracked, NULL, 0, frame);
		return moved;
	}
	if (unlikely(tracked || bytes >= memphis_block_min))
		note_change((void *)old, before, tracked, moved, bytes, frame);
	/* Sizes by bytes are sampled as if the old block had been released and a new one allocated. */
	if (moved && bytes < memphis_block_min &&
	    unlikely(memphis_byte_sampler_pass(&memphis_own_sampler, bytes)))
		note_small(moved, bytes, frame);
	return moved;
}

void *MEMPHIS_ENTRY(realloc)(void *block, size_t bytes)
{
	return change(block, bytes, FRAME);
}

void *MEMPHIS_ENTRY(reallocarray)(void *block, size_t count, size_t bytes)
{
	size_t product;

	if (__builtin_mul_overflow(count, bytes, &product)) {
		errno = ENOMEM;
		return NULL;
	}
	return change(block, product, FRAME);
}

int MEMPHIS_ENTRY(posix_memalign)(void **block, size_t alignment, size_t bytes)
{
	int err = memphis_next.posix_memalign(block, alignment, bytes);

	if (!err)
		noted(*block, bytes, FRAME);
	return err;
}

void *MEMPHIS_ENTRY(aligned_alloc)(size_t alignment, size_t bytes)
{
	return noted(memphis_next.aligned_alloc(alignment, bytes), bytes, FRAME);
}

void *MEMPHIS_ENTRY(memalign)(size_t alignment, size_t bytes)
{
	return noted(memphis_next.memalign(alignment, bytes), bytes, FRAME);
}

void *MEMPHIS_ENTRY(valloc)(size_t bytes)
{
	return noted(memphis_next.valloc(bytes), bytes, FRAME);
}

void *MEMPHIS_ENTRY(pvalloc)(size_t bytes)
{
	return noted(memphis_next.pvalloc(bytes), bytes, FRAME);
}

/* The kernel unmaps whole pages. */
static inline __u64 whole_pages(__u64 bytes)
{
	return (bytes + MEMPHIS_PAGE_BYTES - 1) & ~(__u64)(MEMPHIS_PAGE_BYTES - 1);
}

/*
 * Records a change of maps: the end of the map `gone` (NULL: none) at `before`, and the new map at `start`,
 * of the given `kind`, if it is large enough. Ends are recorded for any size, since they may cut a part out
 * of a larger map.
 */
static __attribute__((noinline)) void note_map(const void *gone, __u64 gone_bytes, __u64 before, __u32 kind,
					       const void *start, __u64 bytes, const void *previous,
					       void *frame)
{
	struct memphis_thread *thread = memphis_note_enter(gone ? MEMPHIS_ALLOCATION_UNMAP : kind);

	if (thread) {
		if (gone)
			memphis_note(thread, MEMPHIS_ALLOCATION_UNMAP, before, gone, whole_pages(gone_bytes),
				     NULL, NULL);
		if (bytes >= memphis_alloc_min && bytes)
			memphis_note(thread, kind, stamp_after(), start, bytes, previous, frame);
		memphis_note_leave();
	}
}

/*
 * Returns the kind of a new map. Shared memory has a separate kind, because it may never appear in a list of
 * maps. It is recognised by the name of the descriptor's file, as given by shm_open(3) or memfd_create(2).
 */
static __attribute__((noinline)) __u32 kind_of_map(int flags, int fd)
{
	static const char *const names[] = {"/dev/shm/", "/memfd:"};
	char link[MEMPHIS_FD_PATH], name[16] = "";
	int saved = errno;
	size_t i;

	if ((flags & MAP_TYPE) == MAP_PRIVATE)
		return MEMPHIS_ALLOCATION_MAP;
	if (flags & MAP_ANONYMOUS)
		return MEMPHIS_ALLOCATION_SHARE;
	memphis_fd_path(link, fd);
	if (readlink(link, name, sizeof(name) - 1) < 0)
		errno = saved;
	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strncmp(name, names[i], strlen(names[i])))
			return MEMPHIS_ALLOCATION_SHARE;
	return MEMPHIS_ALLOCATION_MAP;
}

PUBLIC void *MEMPHIS_ENTRY(mmap)(void *hint, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	int fixed = (flags & MAP_FIXED) && memphis_tracking();
	__u64 before = fixed ? stamp_now() : 0;
	void *start = memphis_next.mmap(hint, bytes, protection, flags, fd, offset);

	if (start != MAP_FAILED && (fixed || bytes >= memphis_alloc_min))
		note_map(fixed ? start : NULL, bytes, before, kind_of_map(flags, fd), start, bytes, NULL,
			 FRAME);
	return start;
}

/* An alias suffices, since off_t always has 64 bits on x86-64. */
PUBLIC void *MEMPHIS_ENTRY(mmap64)(void *hint, size_t bytes, int protection, int flags, int fd, off_t offset)
	__attribute__((alias(NAME(MEMPHIS_ENTRY(mmap)))));

PUBLIC int MEMPHIS_ENTRY(munmap)(void *start, size_t bytes)
{
	__u64 before = memphis_tracking() ? stamp_now() : 0;
	int err = memphis_next.munmap(start, bytes);

	if (!err && before)
		note_map(start, bytes, before, 0, NULL, 0, NULL, NULL);
	return err;
}

/*
 * mremap(). The fifth argument, which only some flags need, is in the same register whether it is declared or not (System V ABI, AMD64 supplement,
 * 3.2.3); a function with an ellipsis saves all registers of arguments on the stack.
 */
PUBLIC void *memphis_mremap(void *start, size_t bytes, size_t new_bytes, int flags,
			    void *target) __asm__(NAME(MEMPHIS_ENTRY(mremap)));

void *memphis_mremap(void *start, size_t bytes, size_t new_bytes, int flags, void *target)
{
	__u64 before = memphis_tracking() ? stamp_now() : 0;
	void *moved;
	int stays;

	moved = memphis_next.mremap(start, bytes, new_bytes, flags, target);
	if (moved == MAP_FAILED || !before)
		return moved;
	/* Old size 0 creates a second map of shared memory, and the first one remains. */
	stays = (flags & MREMAP_DONTUNMAP) || !bytes;
	note_map(stays ? NULL : start, bytes, before, MEMPHIS_ALLOCATION_MAP, moved, new_bytes,
		 stays ? NULL : start, FRAME);
	return moved;
}

/* Returns the size of a segment, or 0. Keeps errno. A process that may attach a segment for reading may also query its size. */
static __attribute__((noinline)) __u64 bytes_of_segment(int id)
{
	struct shmid_ds segment;
	const int saved = errno;

	if (!shmctl(id, IPC_STAT, &segment))
		return segment.shm_segsz;
	errno = saved;
	return 0;
}

PUBLIC void *MEMPHIS_ENTRY(shmat)(int id, const void *address, int flags)
{
	int replaces = (flags & SHM_REMAP) && memphis_tracking();
	__u64 before = replaces ? stamp_now() : 0;
	void *start = memphis_next.shmat(id, address, flags);
	__u64 bytes = start != (void *)-1 && memphis_tracking() ? bytes_of_segment(id) : 0;

	if (bytes)
		note_map(replaces ? start : NULL, bytes, before, MEMPHIS_ALLOCATION_SHARE, start, bytes, NULL,
			 FRAME);
	return start;
}

PUBLIC int MEMPHIS_ENTRY(shmdt)(const void *start)
{
	__u64 before = memphis_tracking() ? stamp_now() : 0;
	int err = memphis_next.shmdt(start);

	/* Size 0 means the whole segment that was attached at this address. */
	if (!err && before)
		note_map(start, 0, before, 0, NULL, 0, NULL, NULL);
	return err;
}

/* Records that the program break has moved from `old` to `now`, for programs that call brk() or sbrk() themselves. */
static inline void note_break(char *old, char *now, __u64 before, void *frame)
{
	if (now > old && (__u64)(now - old) >= memphis_alloc_min)
		note_map(NULL, 0, 0, MEMPHIS_ALLOCATION_MAP, old, (__u64)(now - old), NULL, frame);
	else if (now < old)
		note_map(now, (__u64)(old - now), before, 0, NULL, 0, NULL, NULL);
}

PUBLIC void *MEMPHIS_ENTRY(sbrk)(intptr_t bytes)
{
	__u64 before = memphis_tracking() ? stamp_now() : 0;
	char *old = memphis_next.sbrk(bytes);

	if (before && bytes && old != (void *)-1)
		note_break(old, old + bytes, before, FRAME);
	return old;
}

PUBLIC int MEMPHIS_ENTRY(brk)(void *end)
{
	__u64 before = memphis_tracking() ? stamp_now() : 0;
	char *old = before ? memphis_next.sbrk(0) : NULL;
	int err = memphis_next.brk(end);

	if (before && !err && old != (void *)-1)
		note_break(old, end, before, FRAME);
	return err;
}

/*
 * Requests a list of maps before an object is unloaded that no list contains yet, since its samples could not
 * be attributed otherwise.
 */
static void list_maps(void)
{
	const struct memphis_session *s = &memphis_session;
	int cancel;

	if (atomic_load(&s->state) != MEMPHIS_SESSION_READY || memphis_busy || s->pid != getpid() ||
	    memphis_is_copy() || atomic_load(&s->deferred) || !memphis_process_file_lacks_maps())
		return;
	cancel = memphis_enter();
	memphis_drain_request(MEMPHIS_DRAIN_NOW, LIST_MS);
	memphis_leave(cancel);
}

int MEMPHIS_ENTRY(dlclose)(void *handle)
{
	__u64 before = memphis_maps_unloads();
	int err;

	list_maps();
	err = memphis_next.dlclose(handle);

	if (memphis_maps_unloads() != before)
		memphis_maps_unloaded();
	memphis_stack_forget();
	return err;
}
