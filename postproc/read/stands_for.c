// SPDX-License-Identifier: BSD-3-Clause
#include "read/stands_for.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <memphis/sampling_events.h>

#define NAME(event, name, source, flags) [event] = name,
const char *const memphis_event_names[MEMPHIS_EVENTS] = {MEMPHIS_SAMPLING_EVENTS(NAME)};

#define ACCESS(event, name, source_, flags_) [event] = {.source = (source_), .flags = (flags_)},
const struct memphis_access memphis_event_accesses[MEMPHIS_EVENTS] = {MEMPHIS_SAMPLING_EVENTS(ACCESS)};

/* IBS starts the counter of each period at a random value from 0 to 127. This is the mean. */
#define IBS_START 63.5

/*
 * The counter continues while the kernel returns from the interrupt. The ops of the return count for the
 * period but cannot be sampled. Their number depends on the kernel and on its protection against side
 * channels. No kernel needs more than this limit. The best estimate uses half of it.
 */
#define IBS_RETURN 512

static bool is_set(const struct memphis_settings *settings, const char *key, const char *value)
{
	const char *own = memphis_setting(settings, key);

	return own && !strcmp(own, value);
}

enum memphis_sampling_event memphis_event_of(const struct memphis_access *access)
{
	const uint16_t told = MEMPHIS_FLAG_REMOTE | MEMPHIS_FLAG_HITM;
	const struct memphis_access *taken;
	unsigned int event;

	if (access->flags & MEMPHIS_FLAG_BY_SOURCE)
		for (event = MEMPHIS_EVENT_LOCAL_DRAM; event < MEMPHIS_EVENTS; event++) {
			taken = &memphis_event_accesses[event];
			if (access->source == taken->source && !((access->flags ^ taken->flags) & told))
				return event;
		}
	return MEMPHIS_EVENT_ACCESS;
}

static struct memphis_stands_for with_period(const struct memphis_settings *settings, uint64_t period)
{
	struct memphis_stands_for stands = {
		.accesses = period, .low = (double)period, .high = (double)period};

	/* If the period counts cycles, the number of accesses is unknown. */
	if (is_set(settings, "count", "cycles"))
		return (struct memphis_stands_for){.accesses = 0};
	if (period && is_set(settings, "hardware", "ibs")) {
		stands.high = fmax(1, (double)period - IBS_START);
		stands.low = fmax(0, stands.high - IBS_RETURN);
		stands.accesses = (uint64_t)fmax(1, floor((stands.low + stands.high) / 2));
	}
	return stands;
}

struct memphis_stands_for memphis_stands_for(const struct memphis_settings *settings)
{
	return with_period(settings, memphis_setting_number(settings, "period", 0));
}

/* The samples of some events may have a period of their own: the setting period_NAME. */
static uint64_t weight_of(const struct memphis_settings *settings, const char *name)
{
	const uint64_t common = memphis_setting_number(settings, "period", 0);
	char key[32];

	snprintf(key, sizeof(key), "period_%s", name);
	return with_period(settings, memphis_setting_number(settings, key, common)).accesses;
}

struct memphis_sample_weights memphis_sample_weights(const struct memphis_settings *settings)
{
	struct memphis_sample_weights weights = {.stores = weight_of(settings, "stores")};
	unsigned int event;

	for (event = 0; event < MEMPHIS_EVENTS; event++)
		weights.events[event] = weight_of(settings, memphis_event_names[event]);
	return weights;
}

uint64_t memphis_sample_weight(const struct memphis_sample_weights *weights,
			       const struct memphis_access *access)
{
	return access->flags & MEMPHIS_FLAG_STORE ? weights->stores
						  : weights->events[memphis_event_of(access)];
}

void memphis_put_more_samples(const struct memphis_settings *settings, uint64_t times,
			      struct memphis_text *text)
{
	const uint64_t period = memphis_setting_number(settings, "period", 0),
		       shortest = memphis_setting_number(settings, "period_min", 1),
		       wanted = period > times ? period / times : 0;

	if (!wanted)
		memphis_text_print(text,
				   "sample %" PRIu64 " times as often, or run %" PRIu64 " times as long",
				   times, times);
	else if (wanted >= shortest)
		memphis_text_print(text,
				   "sample %" PRIu64 " times as often (--period %" PRIu64 "), or run %" PRIu64
				   " times as long",
				   times, wanted, times);
	else if (shortest < period)
		memphis_text_print(text,
				   "sample with --period %" PRIu64 ", the shortest here, and run %" PRIu64
				   " times as long",
				   shortest, (times * shortest + period - 1) / period);
	else
		memphis_text_print(text, "run %" PRIu64 " times as long, as the period is the shortest here",
				   times);
}
