/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The populations of samples in which patterns are searched. They do not depend on the samples that a report selects.
 * Reports of the same files therefore have the same findings.
 */
#ifndef MEMPHIS_POPULATION_H
#define MEMPHIS_POPULATION_H

#include <stdbool.h>

#include "read/access.h"

enum memphis_population {
	MEMPHIS_REMOTE_LOADS = 0, /* loads from the memory of another node */
	MEMPHIS_MODIFIED_LOADS,   /* loads of cache lines that another cache had modified */
	/*
	 * Loads that fetched their cache line from the L3 or from memory. Loads from a cache that shares the line do
	 * not count.
	 */
	MEMPHIS_FETCHES,
	MEMPHIS_POPULATIONS
};

/* Words for texts such as "3 % of the loads from other nodes' memory". */
extern const char *const memphis_population_texts[MEMPHIS_POPULATIONS];

bool memphis_population_has(enum memphis_population population, const struct memphis_access *access);

#endif
