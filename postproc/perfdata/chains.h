/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collects the callers of samples outside the program's own code from the call chains that perf recorded, in
 * the form of CHAINS and CALLERS chunks.
 */
#ifndef MEMPHIS_PERFDATA_CHAINS_H
#define MEMPHIS_PERFDATA_CHAINS_H

#include "base/error.h"
#include "base/pool.h"
#include "perfdata/sample.h"

/* The payload of a chunk that is being filled. */
struct memphis_perfdata_filling {
	uint8_t *bytes;
	size_t used, room;
	uint32_t count;
};

struct memphis_perfdata_chains {
	/* Each string is a chain of return addresses. Its number is the id of the chain. */
	struct memphis_strings known;
	struct memphis_perfdata_filling added; /* chains that were not yet written to a chunk */
	struct memphis_perfdata_filling entries;
	uint64_t skipped; /* number of samples without an entry since the last entry */
};

/* Counts a sample that gets no entry: it is in the program's own code, or its event has no chains. */
static inline void memphis_perfdata_chains_skip(struct memphis_perfdata_chains *chains)
{
	chains->skipped++;
}

#define MEMPHIS_PERFDATA_CALLERS_MAX 64

/*
 * Copies the return addresses of the user part of the sample's call chain to `returns`. Sets *ip to the address
 * at which this part starts. Returns the number of return addresses, or -1 if the chain has no user part.
 */
int memphis_perfdata_chain_returns(const struct memphis_perfdata_sample *sample, uint64_t *ip,
				   uint64_t returns[MEMPHIS_PERFDATA_CALLERS_MAX]);

/*
 * Adds the callers of a sample: `count` return addresses of the code at `ip`, or the reason why they are
 * unknown. `count` is -1 if the thread was in the kernel. Returns 0 or -ENOMEM.
 */
int memphis_perfdata_chains_add(struct memphis_perfdata_chains *chains,
				const struct memphis_perfdata_sample *sample, uint64_t ip,
				const uint64_t *returns, int count);

/* Empties the collected chains and entries after a chunk of samples was written. */
void memphis_perfdata_chains_next(struct memphis_perfdata_chains *chains);
void memphis_perfdata_chains_close(struct memphis_perfdata_chains *chains);

#endif
