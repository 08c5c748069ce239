/* SPDX-License-Identifier: BSD-3-Clause */
/* Names and descriptions of the owners of samples in a report. */
#ifndef MEMPHIS_NAMES_H
#define MEMPHIS_NAMES_H

#include "dwarf/field.h"
#include "dwarf/pointer_variables.h"
#include "attribute/join.h"
#include "profile/reasons.h"
#include "source/source.h"

struct memphis_description {
	char *segment;   /* heap, bss, stack, mmap, shm, libfoo.so ... */
	char *name;      /* tx, ice_state::aicen, <not-found> ... */
	char *qualified; /* for blocks named by a pointer variable: name with module and so on; or NULL */
	char *site;      /* file:line where a block was allocated, or NULL */
	/* how the name was found: explicit, debug-info, symbol, holder, assigned, site, none */
	const char *how;
	const char *why_not; /* why a block has only its allocation site as a name; or NULL */
};

/* Name of a block as found in the call stack of its allocation. */
struct memphis_site_name {
	char *name;          /* variable on the allocating line, or NULL */
	char *place;         /* file:line, or NULL */
	char *fallback;      /* <function:line>, or <reason> without a line */
	const char *why_not; /* the reason if there is no name */
	/* Location of the name, and the type of the block's elements, looked up on first use. */
	struct memphis_binary *binary;
	uint64_t vaddr;
	bool asked, fortran;
	Dwarf_Die element; /* addr NULL = unknown */
};

struct memphis_namer {
	struct memphis_join *join;
	struct memphis_sources *sources;
	struct memphis_site_name **sites;          /* by process, then by stack; created on first use */
	struct memphis_pointer_variable **holders; /* by process, then by group; created on first use */
};

/* Returns 0 or -ENOMEM. Close the namer in either case. */
int memphis_namer_open(struct memphis_namer *namer, struct memphis_join *join,
		       struct memphis_sources *sources);
void memphis_namer_close(struct memphis_namer *namer);

/* Fills *description with malloc'ed strings. Returns 0 or -ENOMEM. */
int memphis_describe(struct memphis_namer *namer, const struct memphis_owner *owner,
		     struct memphis_description *description);
void memphis_description_close(struct memphis_description *description);

/*
 * Describes the element and member at `offset` in a variable of kind STATIC or GROUP. Returns 0, -ENOENT if
 * its type is unknown, or -ENOMEM. Close the field after success only.
 */
int memphis_field_of(struct memphis_namer *namer, const struct memphis_owner *owner, uint64_t offset,
		     struct memphis_field *field);

/*
 * Finds the offset of the variable's first element, which follows the array cookie in C++ arrays that need
 * destructor calls. Offsets for memphis_field_of() are relative to it. Returns as memphis_field_of().
 */
int memphis_field_origin(struct memphis_namer *namer, const struct memphis_owner *owner, uint64_t *origin);

#endif
