/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds out which threads share memory. */
#ifndef MEMPHIS_HEATMAP_SHARING_H
#define MEMPHIS_HEATMAP_SHARING_H

#include "heatmap/second_pass.h"

/* Fills profile->sharing, sorted by process, thread, with, home and variable. Returns 0, or a negative errno with a message in *error. */
int memphis_sharing_make(struct memphis_namer *namer, const struct memphis_owner_numbers *numbers,
			 struct memphis_error *error);

#endif
