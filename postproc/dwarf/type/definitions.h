/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the definitions of types that a unit only declares. Reasons for this are:
 * - clang defines a class only in the unit with its constructor or virtual functions.
 * - The declaration refers to a type unit (DW_FORM_ref_sig8).
 * - A nested class is defined outside its class.
 * - The type is opaque.
 * A definition in another unit of the object must have the same qualified name. If there are several, all
 * must have the same layout. Types in an anonymous namespace belong to their unit.
 */
#ifndef MEMPHIS_DEFINITIONS_H
#define MEMPHIS_DEFINITIONS_H

#include <elfutils/libdw.h>
#include <stdbool.h>

/*
 * Registers an object, so that definitions in its units and split units are found by name. Without this call,
 * they are found only by signature. The types are read at the first search. Call memphis_definitions_close()
 * before dwarf_end(). All functions of this file are thread-safe for different objects. For the same object,
 * the caller must hold the lock of the binary.
 */
void memphis_definitions_open(Dwarf *dwarf);
void memphis_definitions_close(Dwarf *dwarf);

/*
 * Removes typedefs and qualifiers from `type`, and stores the result in *plain. If its unit only declares
 * this type, stores the definition, if the object has one. Returns false if there is no type, as for void.
 */
bool memphis_type_plain(const Dwarf_Die *type, Dwarf_Die *plain);

/*
 * Returns true if two structures, classes or unions from different units have the same qualified name, and
 * all definitions with this name have the same layout.
 */
bool memphis_definitions_same(const Dwarf_Die *a, const Dwarf_Die *b);

/*
 * Replaces *type by the declaration inside its class or namespace, if the type is defined outside of it. Its
 * scopes can then be found.
 */
void memphis_type_resolve_to_declaration(Dwarf_Die *type);

/* Returns the name of a type or namespace, or NULL. If a declaration has no name, returns that in its type unit. */
const char *memphis_type_own_name(Dwarf_Die *type);

#endif
