/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the local variable to which a function assigns the block that it allocates. Uses the machine code and
 * debug information of the function, not the source text.
 */
#ifndef MEMPHIS_LOCAL_HOLDER_H
#define MEMPHIS_LOCAL_HOLDER_H

#include "attribute/join.h"
#include "base/pool.h"
#include "dwarf/pointer_variables.h"

#define MEMPHIS_LOCAL_HOLDERS_MAX 4

/* The result for a call that returns a block. */
struct memphis_local_holder {
	/* Variables that may hold the block. There are several if the debug information cannot distinguish them. */
	struct memphis_pointer_variable list[MEMPHIS_LOCAL_HOLDERS_MAX];
	/*
	 * For an automatic array whose memory is the block: the constant factor of its size in bytes, and
	 * whether this is the whole size. The number is 0 if it is unknown, or if the variable is not an
	 * automatic array.
	 */
	uint64_t known_bytes[MEMPHIS_LOCAL_HOLDERS_MAX];
	bool whole[MEMPHIS_LOCAL_HOLDERS_MAX];
	size_t count;
	bool more;      /* there are more variables than `list` has room for */
	bool automatic; /* the variables are automatic arrays, so the block belongs to this function */
	bool returned;  /* the function returns the block */
	char *place;    /* file:line of the call in the function that has the variables; or NULL */
};

/* Cache of the results, one for each call that was examined. */
struct memphis_local_holders {
	struct memphis_strings keys; /* keys are numbered from 1; key n belongs to list[n - 1] */
	struct memphis_local_holder **list;
	size_t count, room;
};

/*
 * Finds the variables for a call stack of the process. Examines the functions from the innermost one
 * outwards, and continues with the caller as long as a function returns the block. Sets *found to NULL if
 * there are none. *found is valid until `holders` is closed. Returns 0 or -ENOMEM.
 */
int memphis_local_holder_find(struct memphis_local_holders *holders, struct memphis_join *join,
			      size_t process, uint32_t stack, const struct memphis_local_holder **found);

/* Returns true if a block of `bytes` bytes has a possible size for at least one of the variables. */
bool memphis_local_holder_fits(const struct memphis_local_holder *holder, uint64_t bytes);

/* Returns the only variable for which `bytes` is a possible size, or NULL if there are several or none. */
const struct memphis_pointer_variable *
memphis_local_holder_get_only(const struct memphis_local_holder *holder, uint64_t bytes);

/*
 * Appends the names of all variables for which `bytes` is a possible size, separated by "|". Returns true if
 * there are several.
 */
bool memphis_local_holder_put_names(const struct memphis_local_holder *holder, uint64_t bytes,
				    struct memphis_text *name, struct memphis_text *qualified);
void memphis_local_holders_close(struct memphis_local_holders *holders);

#endif
