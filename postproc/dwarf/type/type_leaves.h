/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the innermost members that an access to some bytes of a type reads or writes. */
#ifndef MEMPHIS_TYPE_LEAVES_H
#define MEMPHIS_TYPE_LEAVES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#define MEMPHIS_LEAVES_MAX 4 /* members that an answer lists */

/* Returns the greatest common divisor; memphis_gcd(0, a) is a. It is the step of the sum of two spans. */
uint64_t memphis_gcd(uint64_t a, uint64_t b);

struct memphis_type_leaf {
	char *path; /* "to", "halo.low"; "" if the type has no members */
	/* Type of the member, or of its elements, with typedefs; and the member's offset in the element. */
	Dwarf_Die type;
	uint64_t begin;
};

/* The members that one access may touch. */
struct memphis_type_leaves {
	struct memphis_type_leaf list[MEMPHIS_LEAVES_MAX];
	size_t count;
	bool more;       /* there are further members */
	bool outside;    /* the access lies outside the type */
	bool incomplete; /* the debug information only declares the type */
	Dwarf_Die type;  /* the type of the object, or of the elements if it is an array; with typedefs */
};

/* A set of addresses relative to an object: `offset` plus any multiple of `step`; `offset` alone if the step is 0. */
struct memphis_type_span {
	int64_t offset;
	uint64_t step;
	uint64_t bytes; /* number of bytes that are accessed */
	/* Size of the floating-point numbers that are accessed; 0: the access may be to any type. */
	uint64_t float_bytes;
};

/*
 * Finds the members of `object`, a type, that the access touches. An offset beyond the object's size lies in
 * another element if the object is an array, or has no members. The same holds if the step is a multiple of
 * the size: the object is then an element of an array. With any other step, only members in arrays of the
 * object are possible. These include an array at the end of the object whose length is not part of the type.
 * Memory behind a pointer to an object, as behind a header, may hold other types: an access does not lie in a
 * member of another size or kind than the instruction shows.
 * Returns 0 or -ENOMEM; the leaves must be closed in both cases. The caller must hold the lock of the binary.
 */
int memphis_type_leaves_find(const Dwarf_Die *object, bool fortran, const struct memphis_type_span *span,
			     struct memphis_type_leaves *leaves);
void memphis_type_leaves_close(struct memphis_type_leaves *leaves);

/* Kinds of 8 bytes that a register was loaded with. */
enum memphis_loaded { MEMPHIS_LOADED_OTHER, MEMPHIS_LOADED_NUMBER, MEMPHIS_LOADED_POINTER };

/*
 * Returns the kind of the 8 bytes at the addresses of the span, if it is the same at all of them; else MEMPHIS_LOADED_OTHER. For a pointer,
 * *object_behind becomes the type that it points to; its addr is NULL for void. The caller must hold the lock of the binary.
 */
enum memphis_loaded memphis_type_loaded(const Dwarf_Die *object, bool fortran,
					const struct memphis_type_span *span, Dwarf_Die *object_behind);

/*
 * Replaces an array type by the type of its innermost elements, with typedefs. Returns true if the type was an array; the descriptor of an
 * array does not count as one.
 */
bool memphis_type_to_element(Dwarf_Die *type);

/*
 * Returns true if each object of type `outer` has one of type `inner` at `offset`: a member, an element or a base class; or if the types are
 * the same and the offset is 0.
 */
bool memphis_type_contains(const Dwarf_Die *outer, bool fortran, uint64_t offset, const Dwarf_Die *inner);

/* Returns true if the types, without typedefs and qualifiers, are the same. */
bool memphis_type_same(const Dwarf_Die *a, const Dwarf_Die *b);

#endif
