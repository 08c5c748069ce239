/* SPDX-License-Identifier: BSD-3-Clause */
/* Names a block by a Fortran source line. */
#ifndef MEMPHIS_SITE_FORTRAN_H
#define MEMPHIS_SITE_FORTRAN_H

#include "name/site_walk.h"

/* Names the block by the frame's line. If the object is a dummy argument or the result, continues with the caller. */
void memphis_site_name_fortran(struct memphis_site_walk *walk, const struct memphis_site_frame *frame,
			       const struct memphis_source_file *file);

#endif
