/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds patterns of placement. Reports the first pattern whose rule holds for the variable. */
#ifndef MEMPHIS_PATTERNS_H
#define MEMPHIS_PATTERNS_H

#include "evidence/suspect.h"

/* Clears the finding and sets the members that do not depend on the pattern. */
void memphis_finding_begin(const struct memphis_suspect *suspect, struct memphis_finding *finding);

/* Appends to finding->nodes the nodes whose number in by_node is at least a tenth of `sum`. */
void memphis_finding_list_nodes(const struct memphis_placement *placement, const uint64_t *by_node,
				uint64_t sum, struct memphis_finding *finding);

/*
 * Clears the finding, and sets the pattern and its evidence. If `of_all` is true, looks only for patterns that explain
 * all remote loads of the variable, at any place in the program. Returns false if the variable shows no pattern.
 */
bool memphis_find_pattern(const struct memphis_suspect *suspect, bool of_all,
			  struct memphis_finding *finding);

#endif
