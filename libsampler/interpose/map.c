/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interposition of mmap() and its family. Each wrapper makes the call and records the change of maps. If a
 * hook of another library has replaced a wrapper, the hook's system call reaches the same code.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/shm.h>

#include "base/clock.h"
#include "base/proc.h"
#include "core/alloc_min.h"
#include "core/entries.h"
#include "interpose/syscall.h"
#include "interpose/next_symbols.h"
#include "interpose/note.h"
#include "record/jit.h"

/* The alignment prevents a jump that is written over one function from reaching into the next one. */
#define OVERWRITABLE __attribute__((visibility("default"), aligned(MEMPHIS_ENTRY_BYTES)))

#define QUOTED(name) #name
#define NAME(entry)  QUOTED(entry)

/*
 * Gives these functions the symbol version that references to the C library's functions have, but not as
 * their default version. The dynamic loader then binds the program's references to the library's functions.
 * dlsym(3) asks for no version, so it still finds the C library's functions. Libraries that overwrite a
 * function in memory look it up with dlsym(3), and must overwrite the C library's function: the C library
 * calls that one to unmap memory in free(3). Otherwise UCX would not notice this, and would send from
 * unmapped memory.
 */
#ifdef MEMPHIS_ARCHIVE
#define ENTRY(name) MEMPHIS_ENTRY(name)
#define VERSION(name)
#else
#define ENTRY(name)   memphis_entry_##name
#define VERSION(name) __asm__(".symver memphis_entry_" #name ", " #name "@GLIBC_2.2.5")
#endif

#define DECLARE(when, result, name, parameters, arguments, stand_in) \
	OVERWRITABLE result ENTRY(name) parameters;                  \
	VERSION(name);
MEMPHIS_MAPS(DECLARE)
VERSION(mmap64);

/*
 * The origin of a call: the frame of the library's function that was called, and the hook of another library
 * between the program and this library. hook 0: there is no hook.
 */
struct origin {
	void *frame;
	__u64 hook;
};

#define PROGRAM ((struct origin){.frame = __builtin_frame_address(0)})
/* size in note_unmap() for the whole segment that shmat(2) has attached at the address */
#define WHOLE_SEGMENT 0

/* Returns true if a hook makes this system call instead of the overwritten function. Stores the address of the hook in *from. */
static bool replaces_entry(enum memphis_entry_number number, struct origin *from)
{
	if (!memphis_entry_is_overwritten(number))
		return false;
	from->hook = memphis_entry_hook(number);
	if (!(atomic_load_explicit(&memphis_entries_seen, memory_order_relaxed) & 1u << number))
		atomic_fetch_or(&memphis_entries_seen, 1u << number);
	return true;
}

/* Rounds up to whole pages, because the kernel unmaps whole pages. */
static inline __u64 round_to_pages(__u64 bytes)
{
	return (bytes + MEMPHIS_PAGE_BYTES - 1) & ~(__u64)(MEMPHIS_PAGE_BYTES - 1);
}

/*
 * Records a change of maps: the end of the map `gone` (NULL: none) at `before`, and the new map at `start`
 * with the given `kind`, if it is large enough. The end of a map is recorded whatever its size, because it
 * may cut a part out of a larger map.
 */
static __attribute__((noinline)) void note_map(const void *gone, __u64 gone_bytes, __u64 before, __u32 kind,
					       const void *start, __u64 bytes, const void *previous,
					       struct origin from)
{
	struct memphis_thread_record *thread = memphis_note_enter(gone ? MEMPHIS_ALLOCATION_UNMAP : kind);

	if (thread) {
		if (gone)
			memphis_note(thread, MEMPHIS_ALLOCATION_UNMAP, before, gone,
				     round_to_pages(gone_bytes), NULL, NULL);
		if (bytes >= memphis_alloc_min && bytes)
			memphis_note_above(thread, kind, stamp_after(), start, bytes, previous, from.frame,
					   from.hook);
		memphis_note_leave();
	}
}

/* Records the end of a map. */
static inline void note_unmap(const void *start, __u64 bytes, __u64 before)
{
	note_map(start, bytes, before, 0, NULL, 0, NULL, (struct origin){0});
}

/*
 * Returns the kind of a new map. Shared memory has a separate kind, because it may never appear in a list of
 * maps. It is recognised by the name of the descriptor's file, which comes from shm_open(3) or
 * memfd_create(2).
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

/*
 * Returns the current stamp if it is `wanted` and allocations are tracked, otherwise 0. Called before the
 * system call, because the end of a map is recorded with a time before the call. Whether the call is recorded
 * must therefore be known before it is made.
 */
static inline __u64 stamp_if_wanted(bool wanted)
{
	return wanted && memphis_tracking() ? stamp_now() : 0;
}

/* Records a new map. `before`: time before the call if the map replaces other memory, otherwise 0. */
static inline void note_mmap(void *start, size_t bytes, int protection, int flags, int fd, __u64 before,
			     struct origin from)
{
	if (unlikely(protection & PROT_EXEC) && !(flags & MAP_ANONYMOUS) && start != MAP_FAILED)
		memphis_jit_note_mapped(fd);
	if (start != MAP_FAILED && (before || bytes >= memphis_alloc_min))
		note_map(before ? start : NULL, bytes, before, kind_of_map(flags, fd), start, bytes, NULL,
			 from);
}

void *ENTRY(mmap)(void *hint, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	__u64 before = stamp_if_wanted(flags & MAP_FIXED);
	void *start = memphis_next.mmap(hint, bytes, protection, flags, fd, offset);

	note_mmap(start, bytes, protection, flags, fd, before, PROGRAM);
	return start;
}

/* An alias is sufficient, because off_t always has 64 bits on x86-64. */
OVERWRITABLE void *ENTRY(mmap64)(void *hint, size_t bytes, int protection, int flags, int fd, off_t offset)
	__attribute__((alias(NAME(ENTRY(mmap)))));

long memphis_map_call_mmap(long number, const long a[6], void *frame)
{
	struct origin from = {.frame = frame};
	bool noted = replaces_entry(MEMPHIS_ENTRY_MMAP, &from);
	__u64 before = stamp_if_wanted(noted && a[3] & MAP_FIXED);
	long start = memphis_next_call(number, a);

	if (noted)
		note_mmap((void *)start, (size_t)a[1], (int)a[2], (int)a[3], (int)a[4], before, from);
	return start;
}

int ENTRY(munmap)(void *start, size_t bytes)
{
	__u64 before = stamp_if_wanted(true);
	int err = memphis_next.munmap(start, bytes);

	if (!err && before)
		note_unmap(start, bytes, before);
	return err;
}

long memphis_map_call_munmap(long number, const long a[6], void *frame)
{
	struct origin from = {.frame = frame};
	__u64 before = stamp_if_wanted(replaces_entry(MEMPHIS_ENTRY_MUNMAP, &from));
	long err = memphis_next_call(number, a);

	if (!err && before)
		note_unmap((void *)a[0], (size_t)a[1], before);
	return err;
}

static inline void note_mremap(void *start, size_t bytes, void *moved, size_t new_bytes, int flags,
			       __u64 before, struct origin from)
{
	/* An old size of 0 creates a second map of shared memory, and the first map remains. */
	int stays = (flags & MREMAP_DONTUNMAP) || !bytes;

	if (moved != MAP_FAILED && before)
		note_map(stays ? NULL : start, bytes, before, MEMPHIS_ALLOCATION_MAP, moved, new_bytes,
			 stays ? NULL : start, from);
}

void *ENTRY(mremap)(void *start, size_t bytes, size_t new_bytes, int flags, ...)
{
	__u64 before = stamp_if_wanted(true);
	void *target = NULL, *moved;
	va_list args;

	va_start(args, flags);
	if (flags & (MREMAP_FIXED | MREMAP_DONTUNMAP))
		target = va_arg(args, void *);
	va_end(args);
	moved = memphis_next.mremap(start, bytes, new_bytes, flags, target);
	note_mremap(start, bytes, moved, new_bytes, flags, before, PROGRAM);
	return moved;
}

long memphis_map_call_mremap(long number, const long a[6], void *frame)
{
	struct origin from = {.frame = frame};
	__u64 before = stamp_if_wanted(replaces_entry(MEMPHIS_ENTRY_MREMAP, &from));
	long moved = memphis_next_call(number, a);

	note_mremap((void *)a[0], (size_t)a[1], (void *)moved, (size_t)a[2], (int)a[3], before, from);
	return moved;
}

/*
 * Returns the size of a segment, or 0 if it is unknown. A process that may attach the segment for reading may
 * also query its size.
 */
static __attribute__((noinline)) __u64 bytes_of_segment(int id)
{
	struct shmid_ds segment;
	int saved = errno;

	if (!shmctl(id, IPC_STAT, &segment))
		return segment.shm_segsz;
	errno = saved;
	return 0;
}

/* Records the attachment of a segment. `before`: time before the call if the segment replaces other memory, otherwise 0. */
static void note_shmat(int id, void *start, __u64 before, struct origin from)
{
	const __u64 bytes = start == (void *)-1 || !memphis_tracking() ? 0 : bytes_of_segment(id);

	if (bytes)
		note_map(before ? start : NULL, bytes, before, MEMPHIS_ALLOCATION_SHARE, start, bytes, NULL,
			 from);
}

void *ENTRY(shmat)(int id, const void *address, int flags)
{
	__u64 before = stamp_if_wanted(flags & SHM_REMAP);
	void *start = memphis_next.shmat(id, address, flags);

	note_shmat(id, start, before, PROGRAM);
	return start;
}

long memphis_map_call_shmat(long number, const long a[6], void *frame)
{
	struct origin from = {.frame = frame};
	bool noted = replaces_entry(MEMPHIS_ENTRY_SHMAT, &from);
	__u64 before = stamp_if_wanted(noted && a[2] & SHM_REMAP);
	long start = memphis_next_call(number, a);

	if (noted)
		note_shmat((int)a[0], (void *)start, before, from);
	return start;
}

int ENTRY(shmdt)(const void *start)
{
	__u64 before = stamp_if_wanted(true);
	int err = memphis_next.shmdt(start);

	if (!err && before)
		note_unmap(start, WHOLE_SEGMENT, before);
	return err;
}

long memphis_map_call_shmdt(long number, const long a[6], void *frame)
{
	struct origin from = {.frame = frame};
	__u64 before = stamp_if_wanted(replaces_entry(MEMPHIS_ENTRY_SHMDT, &from));
	long err = memphis_next_call(number, a);

	if (!err && before)
		note_unmap((void *)a[0], WHOLE_SEGMENT, before);
	return err;
}

/* Records that the program break has moved from `old` to `now`. This concerns programs that call brk() or sbrk() themselves. */
static inline void note_break(char *old, char *now, __u64 before, struct origin from)
{
	if (now > old && (__u64)(now - old) >= memphis_alloc_min)
		note_map(NULL, 0, 0, MEMPHIS_ALLOCATION_MAP, old, (__u64)(now - old), NULL, from);
	else if (now < old)
		note_unmap(now, (__u64)(old - now), before);
}

void *ENTRY(sbrk)(intptr_t bytes)
{
	__u64 before = stamp_if_wanted(true);
	char *old = memphis_next.sbrk(bytes);

	if (before && bytes && old != (void *)-1)
		note_break(old, old + bytes, before, PROGRAM);
	return old;
}

int ENTRY(brk)(void *end)
{
	__u64 before = stamp_if_wanted(true);
	char *old = before ? memphis_next.sbrk(0) : NULL;
	int err = memphis_next.brk(end);

	if (before && !err && old != (void *)-1)
		note_break(old, end, before, PROGRAM);
	return err;
}

/* The system call returns the current break, which is unchanged if the call has failed. */
long memphis_map_call_brk(long number, const long a[6], void *frame)
{
	struct origin from = {.frame = frame};
	bool noted = replaces_entry(MEMPHIS_ENTRY_BRK, &from) || replaces_entry(MEMPHIS_ENTRY_SBRK, &from);
	__u64 before = stamp_if_wanted(noted);
	long old = before ? sys_call(SYS_brk, 0, 0, 0, 0, 0, 0) : 0;
	long now = memphis_next_call(number, a);

	if (before)
		note_break((char *)old, (char *)now, before, from);
	return now;
}

__attribute__((constructor)) static void keep_entries(void)
{
	const void *const code[MEMPHIS_ENTRIES] = {
		[MEMPHIS_ENTRY_MMAP] = ENTRY(mmap),     [MEMPHIS_ENTRY_MUNMAP] = ENTRY(munmap),
		[MEMPHIS_ENTRY_MREMAP] = ENTRY(mremap), [MEMPHIS_ENTRY_SHMAT] = ENTRY(shmat),
		[MEMPHIS_ENTRY_SHMDT] = ENTRY(shmdt),   [MEMPHIS_ENTRY_SBRK] = ENTRY(sbrk),
		[MEMPHIS_ENTRY_BRK] = ENTRY(brk),
	};

	memphis_entries_keep(code);
}
