// SPDX-License-Identifier: BSD-3-Clause
#include "heatmap/latencies.h"

#include <errno.h>

#include "base/error.h"
#include "profile/wait_source.h"

int memphis_heatmap_latencies(struct memphis_heatmap *heatmap, struct memphis_heatmap_record *const *records,
			      size_t count)
{
	struct memphis_heatmap_latency bins[MEMPHIS_WAIT_SOURCES][MEMPHIS_LATENCY_BINS] = {0}, *latency;
	enum memphis_wait_source source;
	unsigned int bin;
	size_t i;

	for (i = 0; i < count; i++) {
		source = memphis_wait_source(
			&(struct memphis_access){.source = records[i]->source, .flags = records[i]->flags});
		if (source == MEMPHIS_WAIT_SOURCES || !records[i]->latency_cycles)
			continue;
		latency = &bins[source][memphis_latency_bin(records[i]->latency_cycles)];
		latency->count++;
		latency->cycles += records[i]->latency_cycles;
	}
	for (source = 0; source < MEMPHIS_WAIT_SOURCES; source++)
		for (bin = 0; bin < MEMPHIS_LATENCY_BINS; bin++) {
			if (!bins[source][bin].count)
				continue;
			latency = memphis_append(heatmap->latencies, heatmap->latency_count,
						 heatmap->latency_room);
			if (!latency)
				return -ENOMEM;
			*latency = bins[source][bin];
			latency->source = source;
			latency->bin = (uint16_t)bin;
		}
	return 0;
}
