/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds how a function gets a variable from its caller, and finds tail calls, which leave no frame. */
#ifndef MEMPHIS_PARAMETERS_H
#define MEMPHIS_PARAMETERS_H

#include <elfutils/libdw.h>

#include "dwarf/binary.h"

enum memphis_parameter_kind {
	MEMPHIS_PARAMETER_NONE,  /* the variable is not a parameter */
	MEMPHIS_PARAMETER_VALUE, /* the function gets a copy of the caller's value */
	/* The function gets the caller's variable itself: a C++ reference, or a Fortran dummy argument. */
	MEMPHIS_PARAMETER_OBJECT,
	MEMPHIS_PARAMETER_MEMBER /* the variable is a member of the object whose member function is called */
};

struct memphis_parameter {
	enum memphis_parameter_kind kind;
	/* Position of the parameter, from 0. Parameters that the compiler adds, such as `this`, do not count. */
	unsigned int position;
	Dwarf_Die member; /* DIE of the member; use it only with the lock of the binary held */
};

/*
 * Finds the parameter or member `name` of a function that contains the instruction at `vaddr`. `level`
 * selects the function: 0 is the innermost one that is inlined there, 1 is its caller, and so on. Ignores
 * case in Fortran. Returns 0 or -ENOMEM. Locks the binary. Not thread-safe for calls with the same binary.
 */
int memphis_parameter_find(struct memphis_binaries *binaries, struct memphis_binary *binary, uint64_t vaddr,
			   size_t level, const char *name, struct memphis_parameter *parameter);

/*
 * Returns true if this line declares the function. The directories of the paths are not compared, because units may give
 * them differently. The function is selected as in memphis_parameter_find().
 */
bool memphis_function_begins_at(struct memphis_binaries *binaries, struct memphis_binary *binary,
				uint64_t vaddr, size_t level, const char *path, unsigned int line);

/*
 * Returns true if the object whose member function contains the instruction has a member `name` of class
 * `class_name`. Ignores the template arguments of the class. The other parameters are those of
 * memphis_parameter_find().
 */
bool memphis_member_is_of_class(struct memphis_binaries *binaries, struct memphis_binary *binary,
				uint64_t vaddr, size_t level, const char *name, const char *class_name);

/*
 * Finds the tail call (a jump at its end) by which the function around `vaddr` calls `callee`. Returns the
 * address after the jump. Returns 0 if there is no such jump, or more than one. Locks the binary. Not
 * thread-safe for calls with the same binary.
 */
uint64_t memphis_tail_call_find(struct memphis_binaries *binaries, struct memphis_binary *binary,
				uint64_t vaddr, const char *callee);

#endif
