// SPDX-License-Identifier: BSD-3-Clause
/* Bins of latencies, positions of addresses, and the release of heatmaps. */
#include "profile/heatmap.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"

unsigned int memphis_latency_bin(uint64_t cycles)
{
	unsigned int doublings = 2;

	if (cycles < 4)
		return (unsigned int)cycles;
	while (cycles >> doublings >= 2)
		doublings++;
	return 4 * (doublings - 1) + (unsigned int)(cycles >> (doublings - 2) & 3);
}

uint64_t memphis_latency_bin_low(unsigned int bin)
{
	return bin < 4 ? bin : (uint64_t)(4 + bin % 4) << (bin / 4 - 1);
}

uint64_t memphis_heatmap_position(const struct memphis_heatmap *heatmap, uint64_t address)
{
	const struct memphis_heatmap_extent *list = heatmap->extents;
	const size_t next = memphis_bisect(i, heatmap->extent_count, list[i].low <= address);

	return next ? list[next - 1].position + address - list[next - 1].low : address;
}

uint64_t memphis_heatmap_address(const struct memphis_heatmap *heatmap, uint64_t position)
{
	const struct memphis_heatmap_extent *list = heatmap->extents;
	const size_t next = memphis_bisect(i, heatmap->extent_count, list[i].position <= position);

	return next ? list[next - 1].low + position - list[next - 1].position : position;
}

#define FRACTION_BITS 16

uint16_t memphis_heatmap_fraction(const struct memphis_heatmap *heatmap, uint64_t position)
{
	const unsigned int shift = heatmap->bin_shift;
	const uint64_t offset = position & (((uint64_t)1 << shift) - 1);

	return (uint16_t)(shift > FRACTION_BITS ? offset >> (shift - FRACTION_BITS)
						: offset << (FRACTION_BITS - shift));
}

uint64_t memphis_heatmap_offset(const struct memphis_heatmap *heatmap, uint16_t fraction)
{
	const unsigned int shift = heatmap->bin_shift;

	return shift > FRACTION_BITS ? (uint64_t)fraction << (shift - FRACTION_BITS)
				     : (uint64_t)fraction >> (FRACTION_BITS - shift);
}

void memphis_heatmap_close(struct memphis_heatmap *heatmap)
{
	free(heatmap->spots);
	free(heatmap->uses);
	free(heatmap->fields);
	free(heatmap->words);
	free(heatmap->regions);
	free(heatmap->places);
	free(heatmap->extents);
	free(heatmap->stores);
	free(heatmap->parts);
	free(heatmap->latencies);
	free(heatmap->loads);
	free(heatmap->moments);
	memset(heatmap, 0, sizeof(*heatmap));
}
