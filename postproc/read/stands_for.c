// SPDX-License-Identifier: BSD-3-Clause
#include "read/stands_for.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

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

struct memphis_stands_for memphis_stands_for(const struct memphis_settings *settings)
{
	const uint64_t period = memphis_setting_number(settings, "period", 0);
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

void memphis_put_more_samples(const struct memphis_settings *settings, uint64_t times,
			      struct memphis_text *text)
{
	const uint64_t period = memphis_setting_number(settings, "period", 0),
		       shortest = memphis_setting_number(settings, "period_min", 1),
		       wanted = period > times ? period / times : 0;

	if (!wanted)
		memphis_text_print(text, "sample %" PRIu64 " times as often or as long", times);
	else if (wanted >= shortest)
		memphis_text_print(text,
				   "sample %" PRIu64 " times as often (--period %" PRIu64 ") or as long",
				   times, wanted);
	else if (shortest < period)
		memphis_text_print(text,
				   "sample with --period %" PRIu64 ", the shortest here, and run %" PRIu64
				   " times as long",
				   shortest, (times * shortest + period - 1) / period);
	else
		memphis_text_print(text, "run %" PRIu64 " times as long, as the period is the shortest here",
				   times);
}
