/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the innermost members that an access to some bytes of a type touches. */
#ifndef MEMPHIS_TYPE_LEAVES_H
#define MEMPHIS_TYPE_LEAVES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#define MEMPHIS_LEAVES_MAX 4 /* maximum number of members in an answer */

/* Returns the greatest common divisor, which is the step of the sum of two spans. memphis_gcd(0, a) is a. */
uint64_t memphis_gcd(uint64_t a, uint64_t b);

struct memphis_type_leaf {
	char *path; /* "to" or "halo.low"; "" if the type has no members */
	/*
	 * Type of the member or, for an array, of its elements, possibly a typedef. `begin` is the member's
	 * offset in the element.
	 */
	Dwarf_Die type;
	uint64_t begin;
};

/* The members that one access may touch. */
struct memphis_type_leaves {
	struct memphis_type_leaf list[MEMPHIS_LEAVES_MAX];
	size_t count;
	bool more;       /* there are more members than `list` has room for */
	bool outside;    /* the access is outside the type */
	bool incomplete; /* the debug information only declares the type */
	Dwarf_Die type;  /* type of the object or, for an array, of its elements; possibly a typedef */
};

/* The addresses offset + k * step for any integer k, relative to an object. A step of 0 means only `offset`. */
struct memphis_type_span {
	int64_t offset;
	uint64_t step;
	uint64_t bytes; /* number of bytes that are accessed at each address */
	/* Size of the floating-point numbers that are accessed, or 0 if the access may be to any type. */
	uint64_t float_bytes;
};

/*
 * Finds the members of `object`, a type, that the access touches.
 * - An offset beyond the object's size is in another element, if the object is an array or has no members.
 *   This also holds if the step is a multiple of the size, because the object is then an element of an array.
 * - With any other step, the access is to a member in an array of the object. This may be an array at the end
 *   of the object whose length is not part of the type.
 * - The memory behind a pointer to an object may hold other types, as after a header. Members whose size or
 *   kind does not fit the instruction are therefore excluded.
 * Returns 0 or -ENOMEM. The caller must close the leaves in both cases, and must hold the lock of the binary.
 */
int memphis_type_leaves_find(const Dwarf_Die *object, bool fortran, const struct memphis_type_span *span,
			     struct memphis_type_leaves *leaves);
void memphis_type_leaves_close(struct memphis_type_leaves *leaves);

/* What the 8 bytes that were loaded to a register are. */
enum memphis_loaded { MEMPHIS_LOADED_OTHER, MEMPHIS_LOADED_NUMBER, MEMPHIS_LOADED_POINTER };

/*
 * Returns the kind of the 8 bytes at the addresses of the span, or MEMPHIS_LOADED_OTHER if it is not the same
 * at all of them. For a pointer, sets *object_behind to the type to which it points, with addr NULL for void.
 * The caller must hold the lock of the binary.
 */
enum memphis_loaded memphis_type_loaded(const Dwarf_Die *object, bool fortran,
					const struct memphis_type_span *span, Dwarf_Die *object_behind);

/*
 * Replaces an array type by the type of its innermost elements, possibly a typedef. Returns true if the type
 * was an array. A descriptor is not regarded as an array.
 */
bool memphis_type_to_element(Dwarf_Die *type);

/*
 * Returns true if each object of type `outer` contains an object of type `inner` at `offset`, as a member, an
 * element or a base class. Also returns true if the types are the same and the offset is 0.
 */
bool memphis_type_contains(const Dwarf_Die *outer, bool fortran, uint64_t offset, const Dwarf_Die *inner);

/* Returns true if the types, without typedefs and qualifiers, are the same. */
bool memphis_type_same(const Dwarf_Die *a, const Dwarf_Die *b);

#endif
