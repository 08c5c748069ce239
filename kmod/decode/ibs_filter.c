// SPDX-License-Identifier: GPL-2.0-only
/*
 * Precomputes the results of memphis_filter() by applying it to synthetic records. In this way, the rules of the
 * filter are implemented only once.
 */
#include "decode/filter.h"
#include "decode/ibs_filter.h"

static __u8 reason_for(const struct memphis_ibs_machine *machine, const struct memphis_config *config,
		       __u64 data2, __u64 data3)
{
	const struct memphis_ibs_record raw = {
		.registers[MEMPHIS_IBS_OP_DATA2] = data2,
		.registers[MEMPHIS_IBS_OP_DATA3] = data3,
	};
	struct memphis_sample sample = {}; /* a load, for which the filter does not read node and
					    * home_node */
	__u64 physical;

	memphis_ibs_decode(machine, &raw, &sample, &physical);
	return memphis_filter(config, &sample);
}

void memphis_ibs_filter_init(struct memphis_ibs_filter *filter, const struct memphis_ibs_machine *machine,
			     const struct memphis_config *config)
{
	const __u64 load = MEMPHIS_IBS_DATA3_LOAD;
	const __u64 miss = load | MEMPHIS_IBS_DATA3_L1_MISS | MEMPHIS_IBS_DATA3_L2_MISS;
	struct memphis_config any_latency = *config;
	unsigned int i;

	any_latency.min_latency_cycles = 0;
	filter->plain = load | MEMPHIS_IBS_DATA3_STORE | MEMPHIS_IBS_DATA3_UNCACHED | machine->blind;
	for (i = 0; i < MEMPHIS_IBS_CACHED; i++)
		filter->reasons[i] = reason_for(machine, &any_latency, i, miss);
	filter->reasons[MEMPHIS_IBS_CACHED] = reason_for(machine, &any_latency, 0, load);
}
