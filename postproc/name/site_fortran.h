/* SPDX-License-Identifier: BSD-3-Clause */
/* Names a block by a line of Fortran. */
#ifndef MEMPHIS_SITE_FORTRAN_H
#define MEMPHIS_SITE_FORTRAN_H

#include "name/site_walk.h"

/* Names the block by the frame's line, or hands it on to the caller: dummy arguments and results are the caller's. */
void memphis_site_name_fortran(struct memphis_site_walk *walk, const struct memphis_site_frame *frame,
			       const struct memphis_source_file *file);

#endif
