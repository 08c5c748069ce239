/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The session's filter: which samples its configuration drops, tested in the order of enum memphis_reason.
 * Pure, like the decoders, and common to all hardware; inline, because most samples end here.
 */
#ifndef MEMPHIS_FILTER_H
#define MEMPHIS_FILTER_H

#include <memphis/device.h>

/* Does memphis_filter() depend on the page's home node? Tested first, because the look-up is expensive. */
static inline int memphis_filter_needs_home(const struct memphis_config *config,
					    const struct memphis_sample *sample)
{
	const unsigned int drop =
		config->drop & (MEMPHIS_DROP_STORES | MEMPHIS_DROP_NOT_DRAM | MEMPHIS_DROP_LOCAL);

	/* Only pure stores depend on it, and either of the first two flags drops all of those. */
	return drop == MEMPHIS_DROP_LOCAL && !(sample->flags & MEMPHIS_FLAG_LOAD);
}

static inline int memphis_filter_is_local(const struct memphis_sample *sample)
{
	if (sample->flags & MEMPHIS_FLAG_LOAD)
		return !(sample->flags & MEMPHIS_FLAG_REMOTE);
	/* The hardware reports no source for stores; the page's home node decides. */
	return sample->home_node == sample->node || sample->home_node == MEMPHIS_NODE_UNKNOWN;
}

/*
 * Returns MEMPHIS_REASONS for a sample to keep, else the reason (LOADS to LATENCY) to drop it.
 * Reads flags, source and latency_cycles; and node and home_node if memphis_filter_needs_home().
 */
static inline unsigned int memphis_filter(const struct memphis_config *config,
					  const struct memphis_sample *sample)
{
	unsigned int access = sample->flags & (MEMPHIS_FLAG_LOAD | MEMPHIS_FLAG_STORE);

	if (config->drop) {
		if ((config->drop & MEMPHIS_DROP_LOADS) && access == MEMPHIS_FLAG_LOAD)
			return MEMPHIS_REASON_LOADS;
		if ((config->drop & MEMPHIS_DROP_STORES) && access == MEMPHIS_FLAG_STORE)
			return MEMPHIS_REASON_STORES;
		if ((config->drop & MEMPHIS_DROP_NOT_DRAM) && sample->source != MEMPHIS_SOURCE_DRAM &&
		    sample->source != MEMPHIS_SOURCE_EXTENSION)
			return MEMPHIS_REASON_NOT_DRAM;
		if ((config->drop & MEMPHIS_DROP_LOCAL) && memphis_filter_is_local(sample))
			return MEMPHIS_REASON_LOCAL;
	}
	/* The latency of a pure store is 0, hence below every minimum. */
	if (sample->latency_cycles < config->min_latency_cycles)
		return MEMPHIS_REASON_LATENCY;
	return MEMPHIS_REASONS;
}

#endif
