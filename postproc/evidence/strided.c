// SPDX-License-Identifier: BSD-3-Clause
#include "evidence/strided.h"

#include <math.h>

#include "evidence/suspect.h"

/* a loop is worth changing if it uses less than this share of the bytes that it could use with unit stride */
#define WORTH 0.5

/*
 * The number of loads that fetched a line is binomially distributed. If loads have different sizes, the lower end of
 * the interval assumes the smallest size, and the upper end the largest.
 */
struct memphis_estimate memphis_read_bytes(const struct memphis_heatmap_load *load)
{
	const struct memphis_share fetched = memphis_share_of(load->fetched, load->count);

	return (struct memphis_estimate){
		fmin(MEMPHIS_CACHE_LINE, (double)load->bytes / load->fetched),
		fmin(MEMPHIS_CACHE_LINE, load->narrowest / fetched.high),
		fmin(MEMPHIS_CACHE_LINE, load->widest / fetched.low),
	};
}

/*
 * Returns an upper limit of the bytes used per fetched line. Assumes that all other accesses of the function use bytes
 * of the lines that are fetched here.
 */
static double max_bytes_used(const struct memphis_heatmap_load *load)
{
	const uint32_t widest = load->others_widest > load->widest ? load->others_widest : load->widest;

	return widest / memphis_share_of(load->fetched, (uint64_t)load->count + load->others).low;
}

/*
 * Returns how many bytes of each line the loads would read if they read neighbouring elements. If elements have other
 * members, this is only a part of the line.
 */
static double bytes_with_unit_stride(const struct memphis_heatmap *heatmap,
				     const struct memphis_heatmap_load *load)
{
	if (heatmap->element_bytes <= load->widest)
		return MEMPHIS_CACHE_LINE;
	return fmax(load->widest, (double)MEMPHIS_CACHE_LINE * load->widest / heatmap->element_bytes);
}

static bool is_strided(const struct memphis_heatmap *heatmap, const struct memphis_heatmap_load *load)
{
	return load->fetched >= MEMPHIS_FINDING_SAMPLES && load->lines >= MEMPHIS_FINDING_SAMPLES &&
	       max_bytes_used(load) < WORTH * bytes_with_unit_stride(heatmap, load);
}

bool memphis_find_strided(const struct memphis_heatmap *heatmap, struct memphis_finding *finding)
{
	const struct memphis_heatmap_load *load, *worst = NULL;

	for (load = heatmap->loads; load < heatmap->loads + heatmap->load_count; load++)
		if (load->order != MEMPHIS_ORDER_RANDOM && is_strided(heatmap, load) &&
		    (!worst || load->counted > worst->counted))
			worst = load;
	if (!worst)
		return false;
	finding->pattern =
		worst->order == MEMPHIS_ORDER_INDIRECT ? MEMPHIS_PATTERN_INDIRECT : MEMPHIS_PATTERN_STRIDED;
	finding->samples = worst->counted;
	finding->instruction = worst->instruction;
	finding->read_bytes = memphis_read_bytes(worst);
	return true;
}
