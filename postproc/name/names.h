/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names and describes the owners of samples for reports. An owner is what a sampled address belongs to: a
 * static variable, a group of blocks that count as one variable, a mapping, or a stack (profile/counts.h).
 */
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
	/* Name with module, namespace or function, if a pointer variable names the block; or NULL. */
	char *qualified;
	char *site; /* file:line that allocated the block, or NULL */
	/*
	 * Where the variable is declared, for static and local variables, and for blocks that such a variable
	 * holds: the path of the binary, "path:line" of the declaration, and the compilation unit if the
	 * variable is private to it (see struct memphis_declaration). They are NULL if unknown. They
	 * distinguish different variables with the same name.
	 */
	char *object, *declared, *unit;
	enum memphis_how how;
	/* Why a block is named only by its allocation site, or has several names. */
	enum memphis_no_name why_not;
};

/* Name of a block, derived from the call stack of its allocation. */
struct memphis_site_name {
	char *name;        /* variable to which the allocating line assigns the block, or NULL */
	char *scope;       /* "ns::Domain::" if the variable is a member of the function's class, or NULL */
	char *place;       /* file:line of the allocation, or NULL */
	char *inner_place; /* file:line of the innermost frame, or NULL */
	char *fallback;    /* <function:line>, or <reason> if no frame has a line */
	enum memphis_no_name why_not; /* reason if there is no name, or if there are several */
	/* Users of the block only get an address inside it, behind data of the allocating function. */
	bool inside;
	bool unsure; /* the line allocates several objects; `name` was chosen by the order of the calls */
	const struct memphis_local_holder *local; /* local variable that holds the block, or NULL */
	/* Where `name` is valid, and the type of the block's elements. The type is looked up on first use. */
	struct memphis_binary *binary;
	uint64_t vaddr;
	bool asked, fortran;
	Dwarf_Die element; /* addr is NULL if the type is unknown */
};

struct memphis_namer {
	struct memphis_join *join;
	struct memphis_sources *sources;
	/* Indexed by process and then by stack. Entries are filled on first use. */
	struct memphis_site_name **sites;
	/* Indexed by process and then by group. Entries are filled on first use. */
	struct memphis_pointer_variable **holders;
	struct memphis_local_holders locals;
	struct memphis_checked_chains chains;
	struct memphis_access_types types;
};

/* Initializes the namer. Returns 0 or -ENOMEM. The caller must close the namer in both cases. */
int memphis_namer_open(struct memphis_namer *namer, struct memphis_join *join,
		       struct memphis_sources *sources);
void memphis_namer_close(struct memphis_namer *namer);

/* Fills in *description with malloc'ed strings. Returns 0 or -ENOMEM. */
int memphis_describe(struct memphis_namer *namer, const struct memphis_owner *owner,
		     struct memphis_description *description);
void memphis_description_close(struct memphis_description *description);

/*
 * Returns true if both groups of blocks have the same name and the same allocation site. `namer` points to a
 * struct memphis_namer.
 */
bool memphis_is_one_variable(void *namer, size_t process, uint32_t group, uint32_t other);

/*
 * Describes the element and member at `offset` in an owner of kind STATIC or GROUP. Returns 0, -ENOENT if the
 * type is unknown, or -ENOMEM. The caller must close the field only after success.
 */
int memphis_field_find(struct memphis_namer *namer, const struct memphis_owner *owner, uint64_t offset,
		       struct memphis_field *field);

/*
 * Sets *origin to the offset of the first element. It is not 0 for C++ arrays whose elements have
 * destructors, because an array cookie precedes the elements. The offset argument of memphis_field_find() is
 * relative to *origin. Returns the same errors as memphis_field_find().
 */
int memphis_field_find_origin(struct memphis_namer *namer, const struct memphis_owner *owner,
			      uint64_t *origin);

#endif
