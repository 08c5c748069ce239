// SPDX-License-Identifier: BSD-3-Clause
/* Counts the samples of a process over time, by accessing node and home node. */
#include "profile/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static void widen_ticks(struct memphis_timeline *timeline)
{
	struct memphis_series *series;
	size_t i, at;

	timeline->width_ns *= 2;
	for (i = 0; i < timeline->count; i++) {
		series = &timeline->list[i];
		for (at = 0; at < MEMPHIS_TICKS / 2; at++)
			series->ticks[at] = series->ticks[2 * at] + series->ticks[2 * at + 1];
		memset(&series->ticks[at], 0, MEMPHIS_TICKS / 2 * sizeof(*series->ticks));
	}
}

static struct memphis_series *find_series(struct memphis_timeline *timeline, uint16_t node, uint16_t home)
{
	struct memphis_series *series;
	size_t at;

	for (at = 0; at < timeline->count; at++) {
		series = &timeline->list[at];
		if (series->node == node && series->home == home)
			return series;
		if (series->node > node || (series->node == node && series->home > home))
			break;
	}
	if (!memphis_append(timeline->list, timeline->count, timeline->room))
		return NULL;
	series = &timeline->list[at];
	memmove(series + 1, series, (timeline->count - 1 - at) * sizeof(*series));
	memset(series, 0, sizeof(*series));
	series->node = node;
	series->home = home;
	return series;
}

int memphis_timeline_add(struct memphis_timeline *timeline, uint64_t time_ns, uint16_t node, uint16_t home,
			 uint64_t count)
{
	struct memphis_series *series = find_series(timeline, node, home);

	if (!series)
		return -ENOMEM;
	if (!timeline->width_ns)
		timeline->width_ns = MEMPHIS_TICK_FIRST_NS;
	while (time_ns / timeline->width_ns >= MEMPHIS_TICKS)
		widen_ticks(timeline);
	series->ticks[time_ns / timeline->width_ns] += count;
	return 0;
}

int memphis_timeline_merge(struct memphis_timeline *timeline, const struct memphis_timeline *from)
{
	struct memphis_series *series;
	uint64_t ratio;
	size_t i, at;

	if (!from->width_ns)
		return 0;
	if (!timeline->width_ns)
		timeline->width_ns = from->width_ns;
	while (timeline->width_ns < from->width_ns)
		widen_ticks(timeline);
	ratio = timeline->width_ns / from->width_ns;
	for (i = 0; i < from->count; i++) {
		series = find_series(timeline, from->list[i].node, from->list[i].home);
		if (!series)
			return -ENOMEM;
		for (at = 0; at < MEMPHIS_TICKS; at++)
			series->ticks[at / ratio] += from->list[i].ticks[at];
	}
	return 0;
}

void memphis_timeline_close(struct memphis_timeline *timeline)
{
	free(timeline->list);
	memset(timeline, 0, sizeof(*timeline));
}
