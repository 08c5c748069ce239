/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the definitions of types that a unit only declares. clang defines a class only in the unit with its
 * constructor or virtual functions. Other declarations refer to type units (DW_FORM_ref_sig8), nested classes
 * that are defined outside, and opaque types. A definition in another unit of the object must have the same
 * qualified name. If several definitions have it, all must have the same layout. The types of an anonymous
 * namespace belong to their unit.
 */
#ifndef MEMPHIS_DEFINITIONS_H
#define MEMPHIS_DEFINITIONS_H

#include <elfutils/libdw.h>
#include <stdbool.h>

/*
 * Registers an object, so that definitions in its units and split units are found by name; without this call, they are found by signature
 * only. Reads no types, which the first search does. Call memphis_definitions_close() before dwarf_end(). All functions of this file are
 * thread-safe for different objects; for the same object, the caller must hold the lock of the binary.
 */
void memphis_definitions_open(Dwarf *dwarf);
void memphis_definitions_close(Dwarf *dwarf);

/*
 * Stores the type that `type` names, without typedefs and qualifiers, in *plain; of a type that its unit only declares, the definition, if the object has
 * it. Returns false if there is none, as for void.
 */
bool memphis_type_plain(const Dwarf_Die *type, Dwarf_Die *plain);

/* Returns true if two structures, classes or unions of different units have the same qualified name, and all definitions of it the same layout. */
bool memphis_definitions_same(const Dwarf_Die *a, const Dwarf_Die *b);

/* Stores the declaration inside its class or namespace in *type if the type is defined outside of it, so that its scopes can be found. */
void memphis_type_resolve_to_declaration(Dwarf_Die *type);

/* Returns the name of a type or namespace, which a declaration may leave to its type unit; NULL if it has none. */
const char *memphis_type_own_name(Dwarf_Die *type);

#endif
