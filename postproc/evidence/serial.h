/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds serial phases, which are places in the program where only one thread accesses memory of several nodes. To
 * decide whether the thread is alone, looks at all accesses at the place between its first and last remote load. In a
 * parallel loop, other threads make accesses there at the same time, even if these are local or hit a cache.
 */
#ifndef MEMPHIS_SERIAL_H
#define MEMPHIS_SERIAL_H

#include "evidence/suspect.h"

struct memphis_serial_search {
	size_t next;     /* index of the next row in heatmap->places */
	uint32_t phases; /* number of serial phases found so far */
	/* Places with too few remote loads for their own finding were judged together. This ends the search. */
	bool done;
	bool together; /* the process has one thread, so all its places are judged as one */
	/* Of the places that are judged: remote loads by thread, then all accesses by thread. */
	uint64_t *counts;
	size_t threads;
};

/* Begins the search. Returns 0 or -ENOMEM; the caller must close the search in both cases. */
int memphis_serial_begin(struct memphis_serial_search *search, const struct memphis_suspect *suspect);
void memphis_serial_close(struct memphis_serial_search *search);

/*
 * Finds the next serial phase. Clears the finding, fills in the phase and its evidence, and sets `phase` of its
 * places. Returns 1, 0 if there are no more serial phases, or -ENOMEM.
 */
int memphis_serial_next(struct memphis_serial_search *search, const struct memphis_suspect *suspect,
			struct memphis_finding *finding);

#endif
