/* SPDX-License-Identifier: BSD-3-Clause */
/* The values that the dynamic loader stores in the memory of a binary, and the places of thread-local variables. x86-64, variant II of TLS. */
#ifndef MEMPHIS_LOADER_H
#define MEMPHIS_LOADER_H

#include "dwarf/binary.h"

enum memphis_slot_kind {
	MEMPHIS_SLOT_ADDRESS,         /* `value` is a link-time address of this binary */
	MEMPHIS_SLOT_THREAD_DISTANCE, /* the distance of a thread-local variable from the thread pointer */
	MEMPHIS_SLOT_THREAD_INDEX, /* the argument of __tls_get_addr(), which returns the address of a thread-local variable */
	/* the function that is stored returns the distance of a thread-local variable from the thread pointer */
	MEMPHIS_SLOT_THREAD_DESCRIPTOR
};

struct memphis_slot {
	enum memphis_slot_kind kind;
	/* link-time address (MEMPHIS_SLOT_ADDRESS), or offset in a thread's TLS block of this binary */
	uint64_t value;
};

/*
 * Finds the value that the loader stores at link-time address `vaddr`, if the value does not change later: in the global offset table, and
 * in memory that is read-only after relocation. Returns false if the value is unknown, or belongs to another binary. Reads the relocations
 * on the first call. The caller must hold binary->lock.
 */
bool memphis_loader_slot(struct memphis_binary *binary, uint64_t vaddr, struct memphis_slot *slot);

/*
 * Stores the distance from the start of a thread's TLS block of this binary to the thread pointer. At link time, only the distance of a
 * program is known; returns false for libraries, and without thread-local variables.
 */
bool memphis_loader_thread_pointer(const struct memphis_binary *binary, uint64_t *distance);

/*
 * Returns the name of the imported function that the call instruction at `vaddr` calls, demangled and
 * malloc'ed. The call goes to a stub of the dynamic linker (call memcpy@plt), or through a word that the
 * linker fills (call *memcpy@GOTPCREL(%rip)). Returns NULL for other calls. Thread-safe.
 */
char *memphis_import_find_by_call(struct memphis_binary *binary, uint64_t vaddr);

#endif
