/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The first bytes of the interposed functions for maps. Another library may overwrite them with a jump to a hook of its own, which makes
 * the system call and never returns to the overwritten function.
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

/* The functions that move the program break. Hooks may make their system calls by themselves, and those of the others by syscall(2). */
#define MEMPHIS_ENTRIES_OF_BREAK (1u << MEMPHIS_ENTRY_SBRK | 1u << MEMPHIS_ENTRY_BRK)

#define MEMPHIS_ENTRY_BYTES 16 /* a jump to any address takes 12 to 14 bytes */

struct memphis_entry {
	const void *code; /* NULL: not known; counts as not overwritten */
	__u64 original[MEMPHIS_ENTRY_BYTES / 8];
};
extern struct memphis_entry memphis_entries[MEMPHIS_ENTRIES] __attribute__((visibility("hidden")));

/*
 * Set of functions, as bits 1 << number, in place of which the library has seen a system call (interpose/syscall.c). It is written only if
 * a bit has to be set, as each such call reads it.
 */
extern _Atomic unsigned int memphis_entries_seen;

/* Keeps the first bytes of the functions. To be called once, before another library can overwrite them. */
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

/* Returns the address of the function that an overwritten function jumps to, or 0 if it is not a jump of a known kind. Async-signal-safe. */
__u64 memphis_entry_hook(enum memphis_entry_number number);

/* Notes which functions are overwritten now. Returns a set of bits 1 << number: all that were found overwritten so far. */
unsigned int memphis_entries_look(void);

/*
 * Returns those of the overwritten functions whose calls do not reach the library: a function counts if no system call was seen in place of
 * any function of its kind. The functions that move the break are one kind, all others are the other one.
 */
unsigned int memphis_entries_bypassed(void);

#endif
