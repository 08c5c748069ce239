/* SPDX-License-Identifier: BSD-3-Clause */
/* The type and member that an instruction accesses, from its code and the debug information alone. */
#ifndef MEMPHIS_ACCESS_TYPES_H
#define MEMPHIS_ACCESS_TYPES_H

#include "name/access_state.h"
#include "profile/reasons.h"

#define MEMPHIS_ACCESS_FUNCTIONS 16

/* The functions that were analysed last. An object of zeros is a valid start. */
struct memphis_access_types {
	struct memphis_access_flow functions[MEMPHIS_ACCESS_FUNCTIONS];
	size_t next; /* index of the entry that is replaced next */
};

struct memphis_access_type {
	char *type;   /* "Edge", "double"; "A|B" if it may be several; NULL if unknown */
	char *member; /* "Edge.to", "double"; "A.x|B.y"; "Edge.?" if the member is not known */
	enum memphis_no_type reason;
	/* Number of bytes that the instruction accesses, also if the type is unknown; 0 if it is no simple load or store. */
	uint32_t bytes;
};

/*
 * Finds the type of the memory that the instruction at `pc`, a link-time address in the binary (NULL: none), accesses. Returns 0 or
 * -ENOMEM; the answer must be closed after success. Not thread-safe.
 */
int memphis_access_type_of(struct memphis_access_types *types, struct memphis_binaries *binaries,
			   struct memphis_binary *binary, uint64_t pc, struct memphis_access_type *answer);
void memphis_access_type_close(struct memphis_access_type *answer);
void memphis_access_types_close(struct memphis_access_types *types);

#endif
