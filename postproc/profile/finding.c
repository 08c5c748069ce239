// SPDX-License-Identifier: BSD-3-Clause
#include "profile/finding.h"

#include "base/statistics.h"

#define ROW(constant, ...) [MEMPHIS_PATTERN_##constant] = {__VA_ARGS__},
const struct memphis_pattern_kind memphis_patterns[MEMPHIS_PATTERNS] = {MEMPHIS_PATTERN_KINDS(ROW)};

const char *const memphis_initialised_names[] = {
	[MEMPHIS_INITIALISED_NOT_SAMPLED] = "not-sampled",
	[MEMPHIS_INITIALISED_NO_STORES] = "stores-not-sampled",
	[MEMPHIS_INITIALISED_PERHAPS] = "first-sampled-store",
	[MEMPHIS_INITIALISED_SEVERAL] = "several-places",
	[MEMPHIS_INITIALISED_AT] = "one-place",
};

bool memphis_finding_has_worst(const struct memphis_finding *finding)
{
	/* A sample that was read stands for `one_in`. */
	const double read = (double)finding->samples / (double)finding->one_in;
	const double worst = (double)finding->worst / (double)finding->one_in;

	return finding->processes > 1 &&
	       finding->processes * memphis_poisson_p(worst, read / finding->processes) < 0.05;
}

bool memphis_finding_has_small_blocks(const struct memphis_finding *finding)
{
	bool small = finding->small_blocks;
	size_t i;

	for (i = 0; i < finding->part_count; i++)
		small |= finding->parts[i].small_blocks;
	return small;
}

const char *memphis_finding_placing(const struct memphis_finding *finding)
{
	return memphis_finding_has_small_blocks(finding) ? "allocate and initialise" : "initialise";
}
