// SPDX-License-Identifier: GPL-2.0-only
/*
 * The session's filters, in the order of enum memphis_reason.
 */
#include "filter.h"

#define ACCESS (MEMPHIS_FLAG_LOAD | MEMPHIS_FLAG_STORE)

static int is_local(const struct memphis_sample *sample)
{
	if (sample->flags & MEMPHIS_FLAG_LOAD)
		return !(sample->flags & MEMPHIS_FLAG_REMOTE);
	/* The hardware tells no source for a store; the page's node does. */
	return sample->home_node == sample->node || sample->home_node == MEMPHIS_NODE_UNKNOWN;
}

unsigned int memphis_filter(const struct memphis_config *config, const struct memphis_sample *sample)
{
	unsigned int access = sample->flags & ACCESS;

	if (config->drop) {
		if ((config->drop & MEMPHIS_DROP_LOADS) && access == MEMPHIS_FLAG_LOAD)
			return MEMPHIS_REASON_LOADS;
		if ((config->drop & MEMPHIS_DROP_STORES) && access == MEMPHIS_FLAG_STORE)
			return MEMPHIS_REASON_STORES;
		if ((config->drop & MEMPHIS_DROP_NOT_DRAM) && sample->source != MEMPHIS_SOURCE_DRAM &&
		    sample->source != MEMPHIS_SOURCE_EXTENSION)
			return MEMPHIS_REASON_NOT_DRAM;
		if ((config->drop & MEMPHIS_DROP_LOCAL) && is_local(sample))
			return MEMPHIS_REASON_LOCAL;
	}
	/* A pure store has no latency, hence is below every minimum. */
	if (sample->latency_cycles < config->min_latency_cycles)
		return MEMPHIS_REASON_LATENCY;
	return MEMPHIS_REASONS;
}
