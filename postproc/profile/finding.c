// SPDX-License-Identifier: BSD-3-Clause
#include "profile/finding.h"

const char *const memphis_pattern_names[MEMPHIS_PATTERNS] = {
	[MEMPHIS_PATTERN_FIRST_TOUCH] = "first-touch",
	[MEMPHIS_PATTERN_PARTITION] = "partition-mismatch",
	[MEMPHIS_PATTERN_SERIAL] = "serial-phase",
	[MEMPHIS_PATTERN_FALSE_SHARING] = "false-sharing",
	[MEMPHIS_PATTERN_TRUE_SHARING] = "true-sharing",
	[MEMPHIS_PATTERN_MOVED_THREADS] = "moved-threads",
	[MEMPHIS_PATTERN_MOVED_PAGES] = "moved-pages",
	[MEMPHIS_PATTERN_READ_SHARED] = "read-shared",
	[MEMPHIS_PATTERN_MEMORY_ONLY] = "memory-only-node",
	[MEMPHIS_PATTERN_STRIDED] = "strided",
};

const char *const memphis_initialised_names[] = {
	[MEMPHIS_INITIALISED_NOT_SAMPLED] = "not-sampled",
	[MEMPHIS_INITIALISED_NO_STORES] = "stores-not-sampled",
	[MEMPHIS_INITIALISED_PERHAPS] = "first-sampled-store",
	[MEMPHIS_INITIALISED_SEVERAL] = "several-places",
	[MEMPHIS_INITIALISED_AT] = "one-place",
};
