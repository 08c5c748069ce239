/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds what a statement of C assigns through macros of the program. */
#ifndef MEMPHIS_SITE_MACRO_H
#define MEMPHIS_SITE_MACRO_H

#include "name/site_walk.h"

/*
 * Like memphis_assigned_c(), for the statement of the frame's line with its macros expanded. The macros are
 * defined in the file, or in files that it includes.
 */
void memphis_site_assigned_macro(const struct memphis_site_walk *walk, const struct memphis_site_frame *frame,
				 const char *text, struct memphis_assigned *assigned);

#endif
