/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Serial phases: places of the program where one thread alone accesses memory of several nodes. Whether it is alone is judged from all accesses
 * that are made there while the remote loads are made: in a parallel loop, the other threads' accesses are local, or hit in their caches.
 */
#ifndef MEMPHIS_SERIAL_H
#define MEMPHIS_SERIAL_H

#include "evidence/suspect.h"

struct memphis_serial_search {
	size_t next;     /* index in heatmap->places */
	uint32_t phases; /* number of phases that were found */
	bool done; /* also the places were judged whose remote loads are too few for a finding of each: all together */
	bool together;    /* all places are judged together */
	uint64_t *counts; /* of the threads at hand */
	size_t threads;
};

/* Begins the search. Returns 0 or -ENOMEM; the caller must close the search in both cases. */
int memphis_serial_begin(struct memphis_serial_search *search, const struct memphis_suspect *suspect);
void memphis_serial_close(struct memphis_serial_search *search);

/*
 * Resets the finding, fills in the next serial phase and its evidence, and sets `phase` of its places. Returns 1; 0 if there are no more serial phases; or
 * -ENOMEM.
 */
int memphis_serial_next(struct memphis_serial_search *search, const struct memphis_suspect *suspect,
			struct memphis_finding *finding);

#endif
