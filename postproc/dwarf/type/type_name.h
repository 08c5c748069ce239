/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes short names of DWARF types for reports. */
#ifndef MEMPHIS_TYPE_NAME_H
#define MEMPHIS_TYPE_NAME_H

#include <elfutils/libdw.h>
#include <stdbool.h>

#include "base/text.h"

/*
 * Appends the name of the type: "Edge", "graph::Edge", "double", "Edge*", "_Hash_node<std::pair<...> >".
 * Omits qualifiers and typedefs, except a typedef that is the only name of a structure. Of template
 * arguments, shows only the first one, without its own arguments. Omits the namespaces of types whose names
 * are reserved for the implementation. The caller must hold the lock of the binary.
 */
void memphis_type_put_name(struct memphis_text *text, const Dwarf_Die *type);

#endif
