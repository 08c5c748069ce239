/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the session's configuration drops. Pure, like the decoders, and common to all hardware.
 */
#ifndef MEMPHIS_FILTER_H
#define MEMPHIS_FILTER_H

#include <memphis/device.h>

/* Does the answer of memphis_filter() depend on where the page lies? Asked first: the look-up costs. */
static inline int memphis_filter_needs_home(const struct memphis_config *config,
					    const struct memphis_sample *sample)
{
	return (config->drop & MEMPHIS_DROP_LOCAL) && !(sample->flags & MEMPHIS_FLAG_LOAD);
}

/*
 * Returns MEMPHIS_REASONS for a sample that is wanted, else the reason (LOADS to LATENCY) to drop it.
 * Reads flags, source and latency_cycles; node and home_node if memphis_filter_needs_home().
 */
unsigned int memphis_filter(const struct memphis_config *config, const struct memphis_sample *sample);

#endif
