/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kinds of samples in which patterns are looked for. They do not depend on the selection of a report, so that reports of the same files
 * have the same findings, whatever samples they show.
 */
#ifndef MEMPHIS_POPULATION_H
#define MEMPHIS_POPULATION_H

#include <stdbool.h>

#include "read/access.h"

enum memphis_population {
	MEMPHIS_REMOTE_LOADS = 0, /* loads from memory of another node than the accessing one */
	MEMPHIS_MODIFIED_LOADS,   /* loads of cache lines that another cache held modified */
	MEMPHIS_FETCHES, /* loads that fetched their cache line from the L3 or from memory, and not from a cache that shares it */
	MEMPHIS_POPULATIONS
};

/* As in "3 % of the loads from other nodes' memory". */
extern const char *const memphis_population_texts[MEMPHIS_POPULATIONS];

bool memphis_population_has(enum memphis_population population, const struct memphis_access *access);

#endif
