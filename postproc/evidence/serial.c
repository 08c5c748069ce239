// SPDX-License-Identifier: BSD-3-Clause
#include "evidence/serial.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/patterns.h"
#include "evidence/where.h"

/*
 * A thread works alone if it makes at least this share, two thirds, of the accesses. If two threads share the work
 * equally, each makes one half.
 */
#define ALONE 0.667

int memphis_serial_begin(struct memphis_serial_search *search, const struct memphis_suspect *suspect)
{
	const struct memphis_heatmap *heatmap = suspect->heatmap;
	size_t i;

	memset(search, 0, sizeof(*search));
	for (i = 0; i < heatmap->place_count; i++)
		if (heatmap->places[i].thread >= search->threads)
			search->threads = heatmap->places[i].thread + 1;
	/* The only thread of a process is always alone. All its places together then have one pattern. */
	search->together = suspect->process->thread_count == 1;
	search->counts = calloc(2 * search->threads + 1, sizeof(*search->counts));
	return search->counts ? 0 : -ENOMEM;
}

void memphis_serial_close(struct memphis_serial_search *search)
{
	free(search->counts);
	memset(search, 0, sizeof(*search));
}

/*
 * Returns the index after the last row of the place that begins at row `first`. Sets *remote to the number of remote
 * loads at this place.
 */
static size_t find_end_of_place(const struct memphis_heatmap *heatmap, size_t first, uint64_t *remote)
{
	size_t end = first;

	*remote = 0;
	while (end < heatmap->place_count &&
	       heatmap->places[end].instruction == heatmap->places[first].instruction)
		*remote += heatmap->places[end++].remote;
	return end;
}

static void count_rows(struct memphis_serial_search *search, const struct memphis_heatmap *heatmap,
		       size_t first, size_t end)
{
	uint64_t *remote = search->counts, *meanwhile = search->counts + search->threads;
	size_t i;

	for (i = first; i < end; i++) {
		remote[heatmap->places[i].thread] += heatmap->places[i].remote;
		meanwhile[heatmap->places[i].thread] += heatmap->places[i].meanwhile;
	}
}

static const struct memphis_placement_thread *find_thread(const struct memphis_placement *placement,
							  uint32_t thread)
{
	size_t i;

	for (i = 0; i < placement->thread_count; i++)
		if (placement->threads[i].thread == thread)
			return &placement->threads[i];
	return NULL;
}

/*
 * Returns whether the counted rows are a serial phase, and clears the counts. In a serial phase, one thread makes most
 * of the remote loads and most of all accesses, judged by the lower ends of the Wilson 95 % intervals of its shares.
 * The memory that the thread uses must be on several nodes. Otherwise the remedy is to move the pages, not to change
 * the loop.
 */
static bool judge_counted_rows(struct memphis_serial_search *search, const struct memphis_suspect *suspect,
			       struct memphis_finding *finding)
{
	const uint64_t *remote = search->counts, *meanwhile = search->counts + search->threads;
	const struct memphis_placement *placement = &suspect->placement;
	const struct memphis_placement_thread *alone;
	uint64_t all_remote = 0, all = 0;
	size_t best = 0, i;
	bool is_serial;

	for (i = 0; i < search->threads; i++) {
		all_remote += remote[i];
		all += meanwhile[i];
		best = remote[i] > remote[best] ? i : best;
	}
	alone = find_thread(placement, (uint32_t)best);
	is_serial = all_remote >= MEMPHIS_FINDING_WEAK && alone && alone->most_home < MEMPHIS_ONE_HOME &&
		    alone->node != MEMPHIS_SEVERAL &&
		    memphis_share_of(remote[best], all_remote).low >= ALONE &&
		    memphis_share_of(meanwhile[best], all).low >= ALONE;
	if (is_serial) {
		memphis_finding_begin(suspect, finding);
		finding->pattern = MEMPHIS_PATTERN_SERIAL;
		finding->samples = remote[best];
		finding->thread = (uint32_t)best;
		finding->thread_share = (double)remote[best] / (double)all_remote;
		finding->node = placement->nodes[alone->node];
		memphis_finding_list_nodes(placement, placement->homes, placement->homed, finding);
	}
	memset(search->counts, 0, 2 * search->threads * sizeof(*search->counts));
	return is_serial;
}

static void set_phase(const struct memphis_heatmap *heatmap, size_t first, size_t end, uint32_t phase)
{
	size_t i;

	for (i = first; i < end; i++)
		heatmap->places[i].phase = phase;
}

static bool is_judged_together(const struct memphis_serial_search *search, uint64_t remote)
{
	return search->together || remote < MEMPHIS_FINDING_SAMPLES;
}

/*
 * Counts the rows of the places that are not judged alone: those with too few remote loads for their own finding, or
 * all places if search->together is set. Skips places without remote loads. If `phase` is not 0, sets the phase of
 * these rows instead.
 */
static void count_small_places(struct memphis_serial_search *search, const struct memphis_heatmap *heatmap,
			       uint32_t phase)
{
	size_t first, end;
	uint64_t remote;

	for (first = 0; first < heatmap->place_count; first = end) {
		end = find_end_of_place(heatmap, first, &remote);
		if (!remote || !is_judged_together(search, remote))
			continue;
		if (phase)
			set_phase(heatmap, first, end, phase);
		else
			count_rows(search, heatmap, first, end);
	}
}

/* Judges the next place. After the last one, judges all small places together. Returns whether it found a serial phase. */
static bool judge_next(struct memphis_serial_search *search, const struct memphis_suspect *suspect,
		       struct memphis_finding *finding)
{
	const struct memphis_heatmap *heatmap = suspect->heatmap;
	const size_t first = search->next;
	uint64_t remote;

	if (first == heatmap->place_count) {
		search->done = true;
		count_small_places(search, heatmap, 0);
		if (!judge_counted_rows(search, suspect, finding))
			return false;
		count_small_places(search, heatmap, ++search->phases);
		return true;
	}
	search->next = find_end_of_place(heatmap, first, &remote);
	if (is_judged_together(search, remote))
		return false;
	count_rows(search, heatmap, first, search->next);
	if (!judge_counted_rows(search, suspect, finding))
		return false;
	set_phase(heatmap, first, search->next, ++search->phases);
	return true;
}

int memphis_serial_next(struct memphis_serial_search *search, const struct memphis_suspect *suspect,
			struct memphis_finding *finding)
{
	while (!search->done)
		if (judge_next(search, suspect, finding))
			return memphis_finding_place(suspect,
						     &(struct memphis_where){.phase = search->phases,
									     .thread = finding->thread},
						     finding)
				       ? -ENOMEM
				       : 1;
	return 0;
}
