/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the variable that a C statement assigns the block to, if the assignment is inside a macro of the program. */
#ifndef MEMPHIS_SITE_MACRO_H
#define MEMPHIS_SITE_MACRO_H

#include "name/site_walk.h"

/*
 * Does the same as memphis_assigned_find_c() for the frame's statement after expanding its macros. The macros must
 * be defined in the source file or in files that it includes.
 */
void memphis_site_find_assigned_in_macro(const struct memphis_site_walk *walk,
					 const struct memphis_site_frame *frame, const char *text,
					 struct memphis_assigned *assigned);

#endif
