/* SPDX-License-Identifier: BSD-3-Clause */
/* Short names of DWARF types, as reports print them. */
#ifndef MEMPHIS_TYPE_NAME_H
#define MEMPHIS_TYPE_NAME_H

#include <elfutils/libdw.h>
#include <stdbool.h>

#include "base/text.h"

/*
 * Appends the name of the type: "Edge", "graph::Edge", "double", "Edge*", "_Hash_node<std::pair<...> >". Typedefs and qualifiers are
 * left out, except a typedef that is the only name of a structure. Of the arguments of a template, only the first is shown, without its
 * own arguments. The namespaces of types whose names are reserved for the implementation are left out. The caller must hold the lock
 * of the binary.
 */
void memphis_type_put_name(struct memphis_text *text, const Dwarf_Die *type);

#endif
