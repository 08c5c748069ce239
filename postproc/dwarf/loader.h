/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the values that the dynamic loader stores in the memory of a binary, and the addresses of
 * thread-local variables. x86-64, TLS variant II.
 */
#ifndef MEMPHIS_LOADER_H
#define MEMPHIS_LOADER_H

#include "dwarf/binary.h"

enum memphis_slot_kind {
	MEMPHIS_SLOT_ADDRESS, /* `value` is a link-time address of this binary */
	/* `value` is a thread-local variable. The loader stores its distance from the thread pointer. */
	MEMPHIS_SLOT_THREAD_DISTANCE,
	/* `value` is a thread-local variable. The slot is the argument of __tls_get_addr(), which returns its address. */
	MEMPHIS_SLOT_THREAD_INDEX,
	/* `value` is a thread-local variable. The slot has a function that returns its distance from the thread pointer. */
	MEMPHIS_SLOT_THREAD_DESCRIPTOR
};

struct memphis_slot {
	enum memphis_slot_kind kind;
	/* link-time address (MEMPHIS_SLOT_ADDRESS), or offset in the binary's TLS block of a thread */
	uint64_t value;
};

/*
 * Finds the value that the loader stores at link-time address `vaddr`. Considers only memory that does not
 * change later: the global offset table, and memory that is read-only after relocation. Returns false if the
 * value is unknown, or refers to another binary. Reads the relocations on the first call. The caller must
 * hold binary->lock.
 */
bool memphis_loader_slot(struct memphis_binary *binary, uint64_t vaddr, struct memphis_slot *slot);

/*
 * Stores the distance from the start of the binary's TLS block of a thread to the thread pointer. This
 * distance is known at link time only for programs. Returns false for libraries, and if the binary has no
 * thread-local variables.
 */
bool memphis_loader_thread_pointer(const struct memphis_binary *binary, uint64_t *distance);

/*
 * Returns the malloc'ed, demangled name of the imported function that the call instruction at `vaddr` calls.
 * The call goes to a stub of the dynamic linker (call memcpy@plt), or through a word that the linker fills
 * (call *memcpy@GOTPCREL(%rip)). Returns NULL for other calls. Thread-safe.
 */
char *memphis_import_find_by_call(struct memphis_binary *binary, uint64_t vaddr);

#endif
