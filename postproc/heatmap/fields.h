/* SPDX-License-Identifier: BSD-3-Clause */
/* Determines which members of a variable are accessed. */
#ifndef MEMPHIS_HEATMAP_FIELDS_H
#define MEMPHIS_HEATMAP_FIELDS_H

#include "heatmap/second_pass.h"
#include "profile/heatmap.h"

/* Fills in heatmap->fields and ->element_bytes if the type of the variable is known. Sorts the records. Returns 0 or -ENOMEM. */
int memphis_heatmap_fields(struct memphis_second_pass *pass, struct memphis_heatmap *heatmap,
			   struct memphis_heatmap_record **records, size_t count);

#endif
