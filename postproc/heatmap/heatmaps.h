/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the heatmaps of the leading variables of each process, and finds evidence in them. */
#ifndef MEMPHIS_HEATMAPS_H
#define MEMPHIS_HEATMAPS_H

#include "name/reduce.h"

/* Makes the close-ups of all processes of namer->join, whose counts were reduced with these numbers. 0 or a negative errno. */
int memphis_heatmaps_make(struct memphis_namer *namer, const struct memphis_owner_numbers *numbers,
			  struct memphis_error *error);

#endif
