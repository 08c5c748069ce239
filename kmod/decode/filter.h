/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The filter of a session. It decides which samples are dropped because of the configuration, and tests the
 * reasons in the order of enum memphis_reason. The functions are the same for all hardware. Like the
 * decoders, they use no kernel services. They are inline because most samples are dropped here.
 */
#ifndef MEMPHIS_FILTER_H
#define MEMPHIS_FILTER_H

#include <memphis/device.h>

/*
 * Returns nonzero if memphis_filter() needs the home node of the page. The caller looks up the home node only
 * in this case, because the look-up is expensive.
 */
static inline int memphis_filter_needs_home(const struct memphis_config *config,
					    const struct memphis_sample *sample)
{
	const unsigned int drop =
		config->drop & (MEMPHIS_DROP_STORES | MEMPHIS_DROP_NOT_DRAM | MEMPHIS_DROP_LOCAL);

	/* Only DROP_LOCAL needs the home node, and only for pure stores. Each of the other two flags drops pure stores anyway. */
	return drop == MEMPHIS_DROP_LOCAL && !(sample->flags & MEMPHIS_FLAG_LOAD);
}

static inline int memphis_filter_is_local(const struct memphis_sample *sample)
{
	if (sample->flags & MEMPHIS_FLAG_LOAD)
		return !(sample->flags & MEMPHIS_FLAG_REMOTE);
	/* The hardware reports no data source for stores, so the home node of the page decides. */
	return sample->home_node == sample->node || sample->home_node == MEMPHIS_NODE_UNKNOWN;
}

/*
 * Returns MEMPHIS_REASON_NONE if the sample is to be kept, otherwise the reason to drop it (LOADS to
 * LATENCY). Reads flags, source and latency_cycles of the sample. If memphis_filter_needs_home() returns
 * nonzero, it also reads node and home_node.
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
	/* The latency of a pure store is 0, so it is below any minimum. */
	if (sample->latency_cycles < config->min_latency_cycles)
		return MEMPHIS_REASON_LATENCY;
	return MEMPHIS_REASON_NONE;
}

#endif
