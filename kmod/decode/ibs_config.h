/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Attributes of an IBS event that implements a session's configuration. The library uses this code, too, if the module is
 * not loaded.
 */
#ifndef MEMPHIS_IBS_CONFIG_H
#define MEMPHIS_IBS_CONFIG_H

#include <memphis/device.h>

#include "pmu_events.h"

/* Returns perf_event_attr.config. */
static inline __u64 memphis_ibs_config(const struct memphis_config *config)
{
	return (config->count == MEMPHIS_COUNT_OPS ? IBS_CONFIG_COUNT_OPS : 0) |
	       (config->hardware_filter ? IBS_CONFIG_L3_MISS_ONLY : 0);
}

/* Returns perf_event_attr.config1: the threshold of the latency filter in cycles, or 0. */
static inline __u64 memphis_ibs_config1(const struct memphis_config *config)
{
	const __u32 latency = config->min_latency_cycles;

	if (config->hardware_filter != MEMPHIS_HARDWARE_FILTER_LATENCY)
		return 0;
	return latency < MEMPHIS_HARDWARE_LATENCY_MAX ? latency - latency % MEMPHIS_HARDWARE_LATENCY_STEP
						      : MEMPHIS_HARDWARE_LATENCY_MAX;
}

#endif
