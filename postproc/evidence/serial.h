/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Serial phases: places of the program where only one thread accesses memory of several nodes. All accesses at the place during the remote loads decide
 * whether the thread is alone: in a parallel loop, other threads make local accesses, or hit their caches.
 */
#ifndef MEMPHIS_SERIAL_H
#define MEMPHIS_SERIAL_H

#include "evidence/suspect.h"

struct memphis_serial_search {
	size_t next;     /* index in heatmap->places */
	uint32_t phases; /* number of phases that were found */
	bool done; /* the small places, with too few remote loads for a finding of their own, were judged together */
	bool together;    /* all places are judged together */
	uint64_t *counts; /* counts by thread of the rows to be judged */
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
