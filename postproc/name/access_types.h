/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the type and member that an instruction accesses, from its machine code and the debug information. */
#ifndef MEMPHIS_ACCESS_TYPES_H
#define MEMPHIS_ACCESS_TYPES_H

#include "name/access_state.h"
#include "profile/reasons.h"

#define MEMPHIS_ACCESS_FUNCTIONS 16

/* Cache of the functions that were analysed last. Initialize with zeros. */
struct memphis_access_types {
	struct memphis_access_flow functions[MEMPHIS_ACCESS_FUNCTIONS];
	size_t next; /* index of the entry that is replaced next */
};

struct memphis_access_type {
	char *type; /* "Edge" or "double"; "A|B" if several types are possible; NULL if unknown */
	/* "Edge.to" or "double". "A.x|B.y" if several are possible. "Edge.?" if only the type is known. */
	char *member;
	enum memphis_no_type reason;
	/*
	 * Number of bytes that the instruction accesses. It is also set if the type is unknown. It is 0 if
	 * the instruction is no simple load or store.
	 */
	uint32_t bytes;
};

/*
 * Finds the type of the memory that the instruction at `pc` accesses. `pc` is a link-time address in the
 * binary, which may be NULL. Returns 0 or -ENOMEM. The caller must close the answer after success. Not
 * thread-safe.
 */
int memphis_access_type_of(struct memphis_access_types *types, struct memphis_binaries *binaries,
			   struct memphis_binary *binary, uint64_t pc, struct memphis_access_type *answer);
void memphis_access_type_close(struct memphis_access_type *answer);
void memphis_access_types_close(struct memphis_access_types *types);

#endif
