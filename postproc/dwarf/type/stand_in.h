/* SPDX-License-Identifier: BSD-3-Clause */
/* Types that a compiler writes in place of those that its debug information can't describe. */
#ifndef MEMPHIS_STAND_IN_H
#define MEMPHIS_STAND_IN_H

#include <elfutils/libdw.h>
#include <stdbool.h>

/* Returns true if the type may stand for another one, of any size. */
bool memphis_is_stand_in(Dwarf_Die *type);

#endif
