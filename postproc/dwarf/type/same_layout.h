/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares definitions of one type by different units. */
#ifndef MEMPHIS_SAME_LAYOUT_H
#define MEMPHIS_SAME_LAYOUT_H

#include <elfutils/libdw.h>
#include <stdbool.h>

/* Returns true if two structures, classes or unions that have names, declared or defined, have the same qualified one. */
typedef bool memphis_same_name(const void *context, Dwarf_Die *a, Dwarf_Die *b);

/*
 * Returns true if the two structures, classes or unions have the same size and the same members: their names, places and types. Types of
 * pointers' targets are compared by name, other types by their layout as well. The caller must hold the lock of the binary.
 */
bool memphis_same_layout(Dwarf_Die *a, Dwarf_Die *b, memphis_same_name *same_name, const void *context);

/* Returns true if the type is a structure, class or union; if it is one and `a` and `b` are both unions, or neither is. */
bool memphis_is_structure(Dwarf_Die *type);
bool memphis_same_kind(Dwarf_Die *a, Dwarf_Die *b);

#endif
