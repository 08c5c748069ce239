/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Watches the first bytes of the interposed functions for maps. Another library may overwrite them with a
 * jump to its own hook. The hook makes the system call and never returns to the overwritten function.
 */
#ifndef MEMPHIS_ENTRIES_H
#define MEMPHIS_ENTRIES_H

#include <stdatomic.h>
#include <string.h>

#include "base/sys.h"

enum memphis_entry_number {
	MEMPHIS_ENTRY_MMAP,
	MEMPHIS_ENTRY_MUNMAP,
	MEMPHIS_ENTRY_MREMAP,
	MEMPHIS_ENTRY_SHMAT,
	MEMPHIS_ENTRY_SHMDT,
	MEMPHIS_ENTRY_SBRK,
	MEMPHIS_ENTRY_BRK,
	MEMPHIS_ENTRIES
};

/*
 * The functions that move the program break. Hooks may make the system call for these functions directly. For
 * the other functions, hooks use syscall(2), which the library sees.
 */
#define MEMPHIS_ENTRIES_OF_BREAK (1u << MEMPHIS_ENTRY_SBRK | 1u << MEMPHIS_ENTRY_BRK)

#define MEMPHIS_ENTRY_BYTES 16 /* a jump to any address takes 12 to 14 bytes */

struct memphis_entry {
	const void *code; /* NULL: unknown; the function then counts as not overwritten */
	__u64 original[MEMPHIS_ENTRY_BYTES / 8];
};
extern struct memphis_entry memphis_entries[MEMPHIS_ENTRIES] __attribute__((visibility("hidden")));

/*
 * Set of functions (bits 1 << number) for which the library has seen a call of syscall(2) by a hook
 * (interpose/syscall.c). Each such call reads this set, so it is written only if a bit must be set.
 */
extern _Atomic unsigned int memphis_entries_seen;

/* Stores the first bytes of the functions. Must be called once, before another library can overwrite them. */
void memphis_entries_keep(const void *const code[MEMPHIS_ENTRIES]);

/* Returns true if the first bytes of the function have changed. Async-signal-safe. */
static inline bool memphis_entry_is_overwritten(enum memphis_entry_number number)
{
	const struct memphis_entry *entry = &memphis_entries[number];
	__u64 now[ARRAY_SIZE(entry->original)];

	if (!entry->code)
		return false;
	memcpy(now, entry->code, sizeof(now));
	return now[0] != entry->original[0] || now[1] != entry->original[1];
}

/*
 * Returns the address of the hook to which an overwritten function jumps, or 0 if it does not begin with a
 * known kind of jump. Async-signal-safe.
 */
__u64 memphis_entry_hook(enum memphis_entry_number number);

/*
 * Checks which functions are overwritten now. Returns the set (bits 1 << number) of all functions that were
 * found overwritten so far.
 */
unsigned int memphis_entries_look(void);

/*
 * Returns the set of overwritten functions whose calls bypass the library. There are two kinds of functions:
 * those that move the break, and all others. An overwritten function counts as bypassed if the library has
 * seen no system call by a hook for any function of its kind.
 */
unsigned int memphis_entries_bypassed(void);

#endif
