/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the pointer variable that holds the address of a block, and its element type. The pointer is at a
 * static address (a slot in the file's HOLDERS chunk), or inside another block.
 */
#ifndef MEMPHIS_POINTER_VARIABLES_H
#define MEMPHIS_POINTER_VARIABLES_H

#include "dwarf/binary.h"
#include "dwarf/type/types.h"

struct memphis_static;

/* A variable that points to a block, and the type of the elements of the block. */
struct memphis_pointer_variable {
	enum memphis_pointer_rank rank;
	char *name;      /* "tx", "grid%tx", "field[]"; malloc'ed; NULL with MEMPHIS_POINTER_NONE */
	char *qualified; /* `name` qualified with module, namespace or function */
	bool fortran;
	struct memphis_binary *binary;         /* `element` may be used only with binary->lock held */
	const struct memphis_static *variable; /* the static variable that the name begins with, or NULL */
	Dwarf_Die element; /* type of the block's elements; addr is NULL if it is unknown */
	Dwarf_Die array;   /* Fortran: the type of the array; addr is NULL if it is unknown */
};

/*
 * Finds the variable at link-time address `slot`. With `indexed`, the name includes indices of arrays of
 * structures. Locks the binary.
 */
void memphis_pointer_variable_find(struct memphis_binaries *binaries, struct memphis_binary *binary,
				   uint64_t slot, bool indexed, struct memphis_pointer_variable *holder);

/*
 * Finds the pointer at `offset` in a block of `bytes` bytes to which the variable `outer` points. The result
 * has rank MEMPHIS_POINTER_NONE if the element type of `outer` is unknown. Locks the binary.
 */
void memphis_pointer_variable_find_in_block(const struct memphis_pointer_variable *outer, uint64_t offset,
					    uint64_t bytes, struct memphis_pointer_variable *holder);
void memphis_pointer_variable_close(struct memphis_pointer_variable *holder);

/* Finds the member with that name, also in base classes and anonymous unions. The caller must hold the lock of the binary. */
bool memphis_type_find_member(Dwarf_Die *structure, const char *name, bool fortran, Dwarf_Die *member);

/* Finds the element type of a block from the name that the allocation is assigned to. */

/*
 * Looks up `name` ("x", "g->tx", "grid%edge%low", "rows[]") in the scope of the instruction at `vaddr`, and
 * stores the type of the elements that it points to. Returns false if the debug information does not contain
 * the name. Locks the binary.
 */
bool memphis_element_find_by_name(struct memphis_binaries *binaries, struct memphis_binary *binary,
				  uint64_t vaddr, const char *name, Dwarf_Die *element, bool *fortran);

/* Returns true if the debug information has the name in that scope, and it is a number. Locks the binary. */
bool memphis_number_has_name(struct memphis_binaries *binaries, struct memphis_binary *binary, uint64_t vaddr,
			     const char *name);

/*
 * Returns the class with its namespaces, "ns::Domain::", of the member with which `name` begins on the line of the instruction at `vaddr`;
 * malloc'ed. Returns "" if `name` begins with something else, such as a variable; NULL if memory is exhausted. Locks the binary.
 */
char *memphis_member_find_scope(struct memphis_binaries *binaries, struct memphis_binary *binary,
				uint64_t vaddr, const char *name);

#endif
