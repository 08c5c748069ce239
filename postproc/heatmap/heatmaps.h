/* SPDX-License-Identifier: BSD-3-Clause */
/* Creates the heatmaps of the leading variables of each process, and finds evidence in them. */
#ifndef MEMPHIS_HEATMAPS_H
#define MEMPHIS_HEATMAPS_H

#include "name/reduce.h"

/*
 * Reads the samples of each selected process of namer->join a second time, and appends heatmaps and evidence to the
 * profile. `numbers` must be the result of memphis_reduce(). This function adds the owners that have no selected
 * samples to it. Returns 0, or a negative errno with a message in *error.
 */
int memphis_heatmaps_make(struct memphis_namer *namer, struct memphis_owner_numbers *numbers,
			  struct memphis_error *error);

#endif
