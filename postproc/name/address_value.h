/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known about the value of a register: a number, or the address of an object whose type the debug information has. */
#ifndef MEMPHIS_ADDRESS_VALUE_H
#define MEMPHIS_ADDRESS_VALUE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

enum memphis_value_kind {
	MEMPHIS_VALUE_UNKNOWN = 0, /* may be an address, or a distance between addresses */
	MEMPHIS_VALUE_NUMBER,
	MEMPHIS_VALUE_POINTER, /* an address in an array of objects of type `object` */
	MEMPHIS_VALUE_STATIC,  /* a link-time address */
	MEMPHIS_VALUE_FRAME,   /* an address relative to the CFA */
	MEMPHIS_VALUE_THREAD,  /* an address relative to the start of the thread's TLS block of the binary */
	MEMPHIS_VALUE_THREAD_POINTER, /* an address relative to the thread pointer */
	MEMPHIS_VALUE_THREAD_DISTANCE /* what added to the thread pointer is an address in the TLS block */
};

/*
 * `offset` plus any multiple of `step`, relative to what `kind` says; a step of 0 means the offset alone. Values with the same `origin`, other
 * than 0, are computed from the same number: each is its `offset` plus `factor` times that number.
 */
struct memphis_value {
	enum memphis_value_kind kind;
	int64_t offset;
	uint64_t step;
	uint64_t origin;
	int64_t factor;
	Dwarf_Die object; /* with typedefs; addr is NULL for void */
};

struct memphis_value memphis_value_number(int64_t offset, uint64_t step);

/* Results without a meaning, such as the sum of two addresses, are unknown. */
struct memphis_value memphis_value_add(const struct memphis_value *a, const struct memphis_value *b);
struct memphis_value memphis_value_subtract(const struct memphis_value *a, const struct memphis_value *b);
/* The product with a positive number. Products of unknown values are numbers: no code multiplies addresses. */
struct memphis_value memphis_value_multiply(const struct memphis_value *a, uint64_t factor);

/*
 * Returns what is known if the value is one or the other. A null pointer, which is no address of an access, does not weaken what is known about the
 * other one. The caller must hold the lock of the binary.
 */
struct memphis_value memphis_value_join(const struct memphis_value *a, const struct memphis_value *b);
bool memphis_value_same(const struct memphis_value *a, const struct memphis_value *b);

#endif
