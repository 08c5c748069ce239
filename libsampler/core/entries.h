/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The first bytes of the interposed functions for maps. Communication libraries (UCX, Open MPI) overwrite them with a jump to a hook of
 * their own, which makes the system call and never returns to the overwritten function.
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

#define MEMPHIS_ENTRY_BYTES 16 /* a jump to any address takes 12 to 14 bytes */

struct memphis_entry {
	const void *code; /* NULL: not known, taken as not overwritten */
	__u64 original[MEMPHIS_ENTRY_BYTES / 8];
};
extern struct memphis_entry memphis_entries[MEMPHIS_ENTRIES] __attribute__((visibility("hidden")));

/* System calls that were made in place of overwritten functions, and were seen by the library (interpose/syscall.c). */
extern _Atomic __u64 memphis_entry_calls;

/* Keeps the first bytes of the functions. To be called once, before another library can overwrite them. */
void memphis_entries_keep(const void *const code[MEMPHIS_ENTRIES]);

/* Async-signal-safe. */
static inline bool memphis_entry_is_overwritten(enum memphis_entry_number number)
{
	const struct memphis_entry *entry = &memphis_entries[number];
	__u64 now[ARRAY_SIZE(entry->original)];

	if (!entry->code)
		return false;
	memcpy(now, entry->code, sizeof(now));
	return now[0] != entry->original[0] || now[1] != entry->original[1];
}

/* Notes which functions are overwritten now. Returns a set of bits 1 << number: all that were found overwritten so far. */
unsigned int memphis_entries_look(void);

/*
 * Returns true if functions were found overwritten, and the library has not seen any of the system calls that the hooks make: it learns
 * of maps by reading them.
 */
bool memphis_entries_are_bypassed(void);

#endif
