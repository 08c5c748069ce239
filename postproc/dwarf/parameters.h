/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds how the function at an instruction gets a variable from its caller, and calls that leave no frame. */
#ifndef MEMPHIS_PARAMETERS_H
#define MEMPHIS_PARAMETERS_H

#include <elfutils/libdw.h>

#include "dwarf/binary.h"

enum memphis_parameter_kind {
	MEMPHIS_PARAMETER_NONE,  /* the variable is no parameter */
	MEMPHIS_PARAMETER_VALUE, /* a copy of the caller's value */
	MEMPHIS_PARAMETER_OBJECT, /* the caller's variable itself: a reference of C++, or a dummy argument of Fortran */
	MEMPHIS_PARAMETER_MEMBER /* a member of the object whose member function this is */
};

struct memphis_parameter {
	enum memphis_parameter_kind kind;
	/* Of a parameter, from 0, without those that the compiler adds, such as `this`. */
	unsigned int position;
	Dwarf_Die member; /* of a member; may be used only with the lock of the binary held */
};

/*
 * Finds the parameter or member `name` of a function whose code contains the instruction at `vaddr`: of the innermost function that is inlined there if `level` is 0, of
 * its caller if it is 1, and so on. Ignores case in Fortran. Returns 0 or -ENOMEM. Locks the binary. Not thread-safe for calls with the same binary.
 */
int memphis_parameter_find(struct memphis_binaries *binaries, struct memphis_binary *binary, uint64_t vaddr,
			   size_t level, const char *name, struct memphis_parameter *parameter);

/* Returns the line that declares the function, which is found as above; 0 if it is unknown. */
unsigned int memphis_function_line(struct memphis_binaries *binaries, struct memphis_binary *binary,
				   uint64_t vaddr, size_t level);

/*
 * Returns true if `name` is a member of type `class_name` of the object whose member function contains the
 * instruction. Template arguments of the class are ignored. The other parameters are those of
 * memphis_parameter_find().
 */
bool memphis_member_is_of_class(struct memphis_binaries *binaries, struct memphis_binary *binary,
				uint64_t vaddr, size_t level, const char *name, const char *class_name);

/*
 * Returns the address behind the only jump by which the function around `vaddr` calls the function `callee` at its end; 0 if there is none, or several. Locks
 * the binary. Not thread-safe for calls with the same binary.
 */
uint64_t memphis_tail_call_find(struct memphis_binaries *binaries, struct memphis_binary *binary,
				uint64_t vaddr, const char *callee);

#endif
