// SPDX-License-Identifier: BSD-3-Clause
/* Adds samples to the timelines of processes, and merges timelines. */
#include "profile/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/order.h"

/* Adds neighbours: values[0] + values[1], values[2] + values[3] and so on. */
static void halve(uint64_t *values, size_t count)
{
	size_t at;

	for (at = 0; at < count / 2; at++)
		values[at] = values[2 * at] + values[2 * at + 1];
	memset(&values[at], 0, count / 2 * sizeof(*values));
}

static void widen_ticks(struct memphis_timeline *timeline)
{
	struct memphis_thread_series *thread;
	size_t i, at;

	timeline->width_ns *= 2;
	for (i = 0; i < timeline->count; i++)
		halve(timeline->list[i].ticks, MEMPHIS_TICKS);
	for (i = 0; i < timeline->wait_count; i++) {
		halve(timeline->waits[i].counts, MEMPHIS_STEPS);
		halve(timeline->waits[i].cycles, MEMPHIS_STEPS);
	}
	for (i = 0; i < timeline->thread_count; i++) {
		thread = &timeline->threads[i];
		for (at = 0; at < MEMPHIS_STEPS / 2; at++)
			thread->steps[at] = thread->steps[2 * at] + thread->steps[2 * at + 1];
		memset(&thread->steps[at], 0, MEMPHIS_STEPS / 2 * sizeof(*thread->steps));
	}
}

/* Returns the tick of this time. Widens the ticks if necessary. */
static size_t tick_of(struct memphis_timeline *timeline, uint64_t time_ns)
{
	if (!timeline->width_ns)
		timeline->width_ns = MEMPHIS_TICK_FIRST_NS;
	while (time_ns / timeline->width_ns >= MEMPHIS_TICKS)
		widen_ticks(timeline);
	return time_ns / timeline->width_ns;
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
	series->ticks[tick_of(timeline, time_ns)] += count;
	return 0;
}

static struct memphis_wait_series *find_waits(struct memphis_timeline *timeline, uint16_t node,
					      uint16_t source)
{
	struct memphis_wait_series *waits;
	size_t at;

	for (at = 0; at < timeline->wait_count; at++) {
		waits = &timeline->waits[at];
		if (waits->node == node && waits->source == source)
			return waits;
		if (waits->node > node || (waits->node == node && waits->source > source))
			break;
	}
	if (!memphis_append(timeline->waits, timeline->wait_count, timeline->wait_room))
		return NULL;
	waits = &timeline->waits[at];
	memmove(waits + 1, waits, (timeline->wait_count - 1 - at) * sizeof(*waits));
	memset(waits, 0, sizeof(*waits));
	waits->node = node;
	waits->source = source;
	return waits;
}

int memphis_timeline_add_wait(struct memphis_timeline *timeline, uint64_t time_ns, uint16_t node,
			      uint16_t source, uint64_t count, uint64_t cycles)
{
	struct memphis_wait_series *waits = find_waits(timeline, node, source);
	size_t step;

	if (!waits)
		return -ENOMEM;
	step = tick_of(timeline, time_ns) / MEMPHIS_STEP_TICKS;
	waits->counts[step] += count;
	waits->cycles[step] += cycles;
	return 0;
}

static int compare_threads(const void *a, const void *b)
{
	const struct memphis_thread_series *x = a, *y = b;

	return memphis_order(x->thread, y->thread) ?:
	       memphis_order(x->node, y->node) ?:
	       memphis_order(x->home, y->home);
}

int memphis_timeline_add_thread(struct memphis_timeline *timeline, uint64_t time_ns, uint32_t thread,
				uint16_t node, uint16_t home, uint64_t count)
{
	const struct memphis_thread_series key = {.thread = thread, .node = node, .home = home};
	const size_t step = tick_of(timeline, time_ns) / MEMPHIS_STEP_TICKS;
	struct memphis_thread_series *series = timeline->threads + timeline->thread_count;

	while (series > timeline->threads && series[-1].thread == thread)
		if (!compare_threads(--series, &key)) {
			series->steps[step] += (uint32_t)count;
			return 0;
		}
	series = memphis_append(timeline->threads, timeline->thread_count, timeline->thread_room);
	if (!series)
		return -ENOMEM;
	*series = key;
	series->steps[step] = (uint32_t)count;
	return 0;
}

/* Sorts the threads' series, and adds up those of the same thread and nodes. */
static void combine_threads(struct memphis_timeline *timeline)
{
	struct memphis_thread_series *list = timeline->threads;
	size_t kept = 0, i, at;

	memphis_sort(list, timeline->thread_count, compare_threads);
	for (i = 0; i < timeline->thread_count; i++) {
		if (!kept || compare_threads(&list[kept - 1], &list[i])) {
			list[kept++] = list[i];
			continue;
		}
		for (at = 0; at < MEMPHIS_STEPS; at++)
			list[kept - 1].steps[at] += list[i].steps[at];
	}
	timeline->thread_count = kept;
}

static int merge_threads(struct memphis_timeline *timeline, const struct memphis_timeline *from,
			 uint64_t ratio)
{
	struct memphis_thread_series *series;
	size_t i, at;

	for (i = 0; i < from->thread_count; i++) {
		series = memphis_append(timeline->threads, timeline->thread_count, timeline->thread_room);
		if (!series)
			return -ENOMEM;
		*series = (struct memphis_thread_series){.thread = from->threads[i].thread,
							 .node = from->threads[i].node,
							 .home = from->threads[i].home};
		for (at = 0; at < MEMPHIS_STEPS; at++)
			series->steps[at / ratio] += from->threads[i].steps[at];
	}
	combine_threads(timeline);
	return 0;
}

static int merge_waits(struct memphis_timeline *timeline, const struct memphis_timeline *from, uint64_t ratio)
{
	struct memphis_wait_series *waits;
	size_t i, at;

	for (i = 0; i < from->wait_count; i++) {
		waits = find_waits(timeline, from->waits[i].node, from->waits[i].source);
		if (!waits)
			return -ENOMEM;
		for (at = 0; at < MEMPHIS_STEPS; at++) {
			waits->counts[at / ratio] += from->waits[i].counts[at];
			waits->cycles[at / ratio] += from->waits[i].cycles[at];
		}
	}
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
	return merge_waits(timeline, from, ratio) ?: merge_threads(timeline, from, ratio);
}

void memphis_timeline_close(struct memphis_timeline *timeline)
{
	free(timeline->list);
	free(timeline->threads);
	free(timeline->waits);
	memset(timeline, 0, sizeof(*timeline));
}
