/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the local variable in which a function keeps the block that it allocates, from the function's machine
 * code and debug information. The source text is not needed.
 */
#ifndef MEMPHIS_LOCAL_HOLDER_H
#define MEMPHIS_LOCAL_HOLDER_H

#include "attribute/join.h"
#include "base/pool.h"
#include "dwarf/pointer_variables.h"

#define MEMPHIS_LOCAL_HOLDERS_MAX 4

/* The block that a call returns, as far as the code after the call shows it. */
struct memphis_local_holder {
	/* The variables that may hold the block: one, or several that the debug information can't tell apart. */
	struct memphis_pointer_variable list[MEMPHIS_LOCAL_HOLDERS_MAX];
	/*
	 * The constant part of the size of an automatic array, and whether that is the whole size; 0 if it is unknown or if the variable is
	 * not an automatic array.
	 */
	uint64_t known_bytes[MEMPHIS_LOCAL_HOLDERS_MAX];
	bool whole[MEMPHIS_LOCAL_HOLDERS_MAX];
	size_t count;
	bool more;      /* there are further variables */
	bool automatic; /* the variables are automatic arrays: the block belongs to this function */
	bool returned;  /* the function returns the block */
	char *place;    /* file:line of the call, in the function with the variables; or NULL */
};

/* The answers for the calls that were examined. */
struct memphis_local_holders {
	struct memphis_strings keys; /* the number of a call minus 1 is its index in `list` */
	struct memphis_local_holder **list;
	size_t count, room;
};

/*
 * Finds the answer for a call stack of the process: examines the functions from the innermost one outwards, as long as they return the
 * block. *found becomes NULL if there is none; it is valid until `holders` is closed. Each call is examined once. Returns 0 or -ENOMEM.
 */
int memphis_local_holder_find(struct memphis_local_holders *holders, struct memphis_join *join,
			      size_t process, uint32_t stack, const struct memphis_local_holder **found);

/* Returns true if one of the variables can be a block of `bytes` bytes. */
bool memphis_local_holder_fits(const struct memphis_local_holder *holder, uint64_t bytes);

/* Returns the only variable that can be a block of `bytes` bytes; NULL if there are several or none. */
const struct memphis_pointer_variable *
memphis_local_holder_get_only(const struct memphis_local_holder *holder, uint64_t bytes);

/*
 * Appends the names of all variables that can be a block of `bytes` bytes, separated by "|". Returns true if there are
 * several.
 */
bool memphis_local_holder_put_names(const struct memphis_local_holder *holder, uint64_t bytes,
				    struct memphis_text *name, struct memphis_text *qualified);
void memphis_local_holders_close(struct memphis_local_holders *holders);

#endif
