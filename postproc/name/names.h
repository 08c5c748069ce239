/* SPDX-License-Identifier: BSD-3-Clause */
/* What an owner of samples is called in a report. */
#ifndef MEMPHIS_NAMES_H
#define MEMPHIS_NAMES_H

#include "profile/fields.h"
#include "dwarf/pointer_variables.h"
#include "attribute/join.h"
#include "profile/reasons.h"
#include "source/source.h"

struct memphis_description {
	char *segment;       /* heap, bss, stack, mmap, shm, libfoo.so ... */
	char *name;          /* tx, ice_state::aicen, <not-found> ... */
	char *qualified;     /* of a holder or static: with module and so on; or NULL */
	char *site;          /* file:line where a block was allocated, or NULL */
	const char *how;     /* how the name was found: see name/names.c */
	const char *why_not; /* why a block only has its site as a name; or NULL */
};

/* What the call stack of an allocation says about a block. */
struct memphis_site_name {
	char *name;          /* on the allocating line, or NULL */
	char *place;         /* file:line, or NULL */
	char *fallback;      /* <function:line>, or why there is none */
	const char *why_not; /* if there is no name */
	/* Where the name stands, and what its type says that the block is made of, once asked. */
	struct memphis_binary *binary;
	uint64_t vaddr;
	bool asked, fortran;
	Dwarf_Die element; /* addr NULL = not known */
};

struct memphis_namer {
	struct memphis_join *join;
	struct memphis_sources *sources;
	struct memphis_site_name **sites;          /* by process, then by stack; made when first asked for */
	struct memphis_pointer_variable **holders; /* by process, then by group; likewise */
};

/* 0 or -ENOMEM. Close it in either case. */
int memphis_namer_open(struct memphis_namer *namer, struct memphis_join *join,
		       struct memphis_sources *sources);
void memphis_namer_close(struct memphis_namer *namer);

/* Fills `description` with malloc'ed strings. 0 or -ENOMEM. */
int memphis_describe(struct memphis_namer *namer, const struct memphis_owner *owner,
		     struct memphis_description *description);
void memphis_description_close(struct memphis_description *description);

/* The part of a path behind its last slash. */
const char *memphis_basename(const char *path);

#endif
