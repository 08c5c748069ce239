/* SPDX-License-Identifier: BSD-3-Clause */
/* Names and describes the owners of samples for reports. */
#ifndef MEMPHIS_NAMES_H
#define MEMPHIS_NAMES_H

#include "attribute/join.h"
#include "dwarf/pointer_variables.h"
#include "dwarf/type/types.h"
#include "name/access_types.h"
#include "name/instructions.h"
#include "name/local_holder.h"
#include "profile/reasons.h"
#include "source/source.h"

struct memphis_description {
	char *segment; /* heap, bss, stack, mmap, shm, libfoo.so ... */
	char *name;    /* tx, ice_state::aicen, <not-found> ... */
	/* Name with module, namespace or function, of a block that is named by a pointer variable; or NULL. */
	char *qualified;
	char *site; /* file:line that allocated the block, or NULL */
	/*
	 * Of a static or local variable, also of one that holds the block: the path of the binary that has it, "path:line" of its declaration, and
	 * the unit that has it for itself (struct memphis_declaration); or NULL. Different variables of one name differ in these.
	 */
	char *object, *declared, *unit;
	enum memphis_how how;
	enum memphis_no_name why_not; /* why a block has only its allocation site or several names */
};

/* Name of a block, found in the call stack of its allocation. */
struct memphis_site_name {
	char *name;        /* variable to which the allocating line assigns, or NULL */
	char *scope;       /* "ns::Domain::" if the variable is a member of the function's class, or NULL */
	char *place;       /* file:line, or NULL */
	char *inner_place; /* the innermost one, or NULL */
	char *fallback;    /* <function:line>; <reason> if there is no line */
	enum memphis_no_name why_not; /* why there is no name, or several */
	bool inside;                  /* the user of the block has only an address inside it */
	bool unsure; /* the line allocates several objects; `name` relies on the order of the calls */
	const struct memphis_local_holder *local; /* or NULL */
	/* Where the name is, and the type of the block's elements; the type is looked up on first use. */
	struct memphis_binary *binary;
	uint64_t vaddr;
	bool asked, fortran;
	Dwarf_Die element; /* addr is NULL if unknown */
};

struct memphis_namer {
	struct memphis_join *join;
	struct memphis_sources *sources;
	/* Indexed by process, then by stack; filled on first use. */
	struct memphis_site_name **sites;
	/* Indexed by process, then by group; filled on first use. */
	struct memphis_pointer_variable **holders;
	struct memphis_local_holders locals;
	struct memphis_checked_chains chains;
	struct memphis_access_types types;
};

/* Initializes the namer. Returns 0 or -ENOMEM; the namer must be closed in both cases. */
int memphis_namer_open(struct memphis_namer *namer, struct memphis_join *join,
		       struct memphis_sources *sources);
void memphis_namer_close(struct memphis_namer *namer);

/* Fills in *description with malloc'ed strings. Returns 0 or -ENOMEM. */
int memphis_describe(struct memphis_namer *namer, const struct memphis_owner *owner,
		     struct memphis_description *description);
void memphis_description_close(struct memphis_description *description);

/* Returns true if both groups of blocks have one name, and were allocated at one place. `namer`: struct memphis_namer. */
bool memphis_is_one_variable(void *namer, size_t process, uint32_t group, uint32_t other);

/*
 * Describes the element and member at `offset` in an owner of kind STATIC or GROUP. Returns 0, -ENOENT if the
 * type is unknown, or -ENOMEM. The field must be closed only after success.
 */
int memphis_field_find(struct memphis_namer *namer, const struct memphis_owner *owner, uint64_t offset,
		       struct memphis_field *field);

/*
 * Stores the offset of the first element in *origin. In C++ arrays whose elements need destructor calls, the
 * first element follows the array cookie. Offsets for memphis_field_find() are relative to *origin. The return
 * values are those of memphis_field_find().
 */
int memphis_field_find_origin(struct memphis_namer *namer, const struct memphis_owner *owner,
			      uint64_t *origin);

#endif
