/* SPDX-License-Identifier: BSD-3-Clause */
/* The callers of samples outside the program's own code, from the call chains that perf has recorded, as CHAINS and CALLERS chunks have them. */
#ifndef MEMPHIS_PERFDATA_CHAINS_H
#define MEMPHIS_PERFDATA_CHAINS_H

#include "base/pool.h"
#include "perfdata/sample.h"

/* Bytes of a chunk that is being filled. */
struct memphis_perfdata_filling {
	uint8_t *bytes;
	size_t used, room;
	uint32_t count;
};

struct memphis_perfdata_chains {
	struct memphis_strings known;          /* each string is a chain; its number is its id */
	struct memphis_perfdata_filling added; /* chains that are in no chunk yet */
	struct memphis_perfdata_filling entries;
	uint64_t skipped; /* samples since the last entry */
};

/* Counts a sample of the program's own code, or of an event without chains. */
static inline void memphis_perfdata_chains_skip(struct memphis_perfdata_chains *chains)
{
	chains->skipped++;
}

/* Adds the callers of a sample, or the reason why they are unknown. Returns 0 or -ENOMEM. */
int memphis_perfdata_chains_add(struct memphis_perfdata_chains *chains,
				const struct memphis_perfdata_sample *sample);

/* Begins the entries of another chunk of samples. */
void memphis_perfdata_chains_next(struct memphis_perfdata_chains *chains);
void memphis_perfdata_chains_close(struct memphis_perfdata_chains *chains);

#endif
