/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds what a statement of C assigns through macros of the program. */
#ifndef MEMPHIS_SITE_MACRO_H
#define MEMPHIS_SITE_MACRO_H

#include "name/site_walk.h"

/*
 * Does the same as memphis_assigned_c() for the statement of the frame's line after the macros in it were expanded, which its file, or one that it
 * includes, defines.
 */
void memphis_site_assigned_macro(const struct memphis_site_walk *walk, const struct memphis_site_frame *frame,
				 const char *text, struct memphis_assigned *assigned);

#endif
