/* SPDX-License-Identifier: BSD-3-Clause */
/* The default settings for each kind of sampling hardware, and the periods that it supports. */
#include "settings/hardware.h"

#include <memphis/sampling_defaults.h>
#include <memphis/sampling_events.h>

const char *const memphis_count_names[MEMPHIS_COUNT_NAMES] = {
	[MEMPHIS_COUNT_OPS] = "ops",
	[MEMPHIS_COUNT_CYCLES] = "cycles",
	[MEMPHIS_COUNT_LOADS] = "loads",
};

#define NAME(event, name, source, flags) [event] = name,
const char *const memphis_event_names[MEMPHIS_EVENTS] = {MEMPHIS_SAMPLING_EVENTS(NAME)};

const char *const memphis_hardware_filter_names[MEMPHIS_HARDWARE_FILTERS] = {
	[MEMPHIS_HARDWARE_FILTER_NONE] = "none",
	[MEMPHIS_HARDWARE_FILTER_L3_MISS] = "l3-miss",
	[MEMPHIS_HARDWARE_FILTER_LATENCY] = "latency",
};

#define KIND(hardware, name, count, period, min_latency, period_by_source, is_exact) \
	{hardware, name, count, period, min_latency, period_by_source, is_exact},
static const struct memphis_hardware kinds[] = {MEMPHIS_SAMPLING_DEFAULTS(KIND)};

const struct memphis_hardware *memphis_hardware(__u32 id)
{
	unsigned int i;

	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (kinds[i].id == id)
			return &kinds[i];
	return kinds;
}

__u32 memphis_hardware_events(const struct memphis_query *query)
{
	return query->events & 1u << MEMPHIS_EVENT_ACCESS ? 1u << MEMPHIS_EVENT_ACCESS : query->events;
}

static bool is_prime(__u64 number)
{
	__u64 factor;

	if (number < 4)
		return number > 1;
	if (number % 2 == 0)
		return false;
	for (factor = 3; factor <= number / factor; factor += 2)
		if (number % factor == 0)
			return false;
	return true;
}

/*
 * Returns the prime nearest to `number`. Gaps between primes below 2^31 are shorter than 300. The loop has a
 * bound in case a device reports a nonsensical value.
 */
static __u64 find_nearest_prime(__u64 number, __u64 low, __u64 high)
{
	__u64 distance;

	for (distance = 0; distance < 1000; distance++) {
		if (number + distance <= high && is_prime(number + distance))
			return number + distance;
		if (number >= low + distance && is_prime(number - distance))
			return number - distance;
	}
	return number;
}

__u64 memphis_hardware_period(const struct memphis_query *query, __u64 asked)
{
	__u64 step = query->period_step ? query->period_step : 1;
	__u64 period = (asked + step / 2) / step * step;

	if (period < query->period_min)
		period = query->period_min;
	if (period > query->period_max)
		period = query->period_max / step * step;
	if (memphis_hardware(query->hardware)->is_exact && step == 1)
		period = find_nearest_prime(period, query->period_min, query->period_max);
	return period;
}

/* The ring has fewer stacks than records, because stacks are large, and samples in libraries are usually rare. */
#define STACKS_SHARE 16

__u32 memphis_hardware_stacks(const struct memphis_query *query, const struct memphis_config *config,
			      unsigned long cpus)
{
	const __u64 thread_bytes = MEMPHIS_THREAD_BYTES + 2 * MEMPHIS_PAGE_BYTES +
				   config->ring_records * sizeof(struct memphis_sample);
	const __u64 stack_bytes = sizeof(struct memphis_user_stack) + config->stack_bytes;
	__u32 stacks = config->ring_records / STACKS_SHARE;

	while (stacks > 1 && cpus * (thread_bytes + stacks * stack_bytes) > query->ring_budget_bytes / 4 * 3)
		stacks /= 2;
	return stacks ? stacks : 1;
}
