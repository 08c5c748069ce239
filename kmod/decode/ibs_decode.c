// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * Tables of the data sources in IBS op records, and the properties of the CPU that the decoder depends on. The
 * fields are documented in the AMD64 Architecture Programmer's Manual volume 2, section 13.3 "Instruction-Based
 * Sampling", and in the PPRs, MSRC001_1033 to MSRC001_1039. docs/hardware.md lists the fields of each CPU
 * generation, with references.
 */
#include "decode/ibs_decode.h"

/*
 * Data sources of Zen to Zen 3. For source 2, RmtNode distinguishes caches of the accessing node (mostly the L3 of the
 * accessing core) from caches of other nodes.
 */
static const struct memphis_ibs_source sources[8] = {
	[2] = {.source = MEMPHIS_SOURCE_L3, .remote_source = MEMPHIS_SOURCE_PEER_CACHE, .hit_state = true},
	[3] = {.source = MEMPHIS_SOURCE_DRAM, .remote_source = MEMPHIS_SOURCE_DRAM},
	[4] = {.source = MEMPHIS_SOURCE_PEER_CACHE, .remote = true},
	[7] = {.source = MEMPHIS_SOURCE_IO},
};

static const struct memphis_ibs_source sources_zen4[32] = {
	[1] = {.source = MEMPHIS_SOURCE_L3, .hit_state = true},
	[2] = {.source = MEMPHIS_SOURCE_PEER_CACHE, .hit_state = true},
	[3] = {.source = MEMPHIS_SOURCE_DRAM, .remote_source = MEMPHIS_SOURCE_DRAM},
	[5] = {.source = MEMPHIS_SOURCE_PEER_CACHE, .remote = true, .hit_state = true},
	/* long-latency DIMM */
	[6] = {.source = MEMPHIS_SOURCE_EXTENSION, .remote_source = MEMPHIS_SOURCE_EXTENSION},
	[7] = {.source = MEMPHIS_SOURCE_IO},
	/* CXL, GenZ, S-Link */
	[8] = {.source = MEMPHIS_SOURCE_EXTENSION, .remote_source = MEMPHIS_SOURCE_EXTENSION},
	/* coherent memory of a different type of processor */
	[12] = {.source = MEMPHIS_SOURCE_EXTENSION},
};

void memphis_ibs_machine_init(struct memphis_ibs_machine *machine, unsigned int family, unsigned int model,
			      __u32 capabilities, __u64 user_limit)
{
	/* No capability bit identifies Zen 3, so family and model are tested. Only servers with Zen 3 have the erratum below. */
	bool zen3_server = family == 0x19 && model <= 0x0f;
	bool zen3_client = family == 0x19 && model >= 0x20 && model <= 0x5f;
	bool zen4 = capabilities & MEMPHIS_IBS_CAP_ZEN4;

	machine->sources = zen4 ? sources_zen4 : sources;
	machine->source_mask = zen4 ? 0x1f : 7;
	machine->cache_hit_state = !zen3_server && !zen3_client;
	machine->rip_invalid = capabilities & MEMPHIS_IBS_CAP_RIP_INVALID ? MEMPHIS_IBS_DATA_RIP_INVALID : 0;
	/*
	 * Erratum 1293 (Revision Guide for AMD Family 19h Models 00h-0Fh, 56683): for a software prefetch, or a
	 * miss without a miss buffer, neither L2Miss nor IbsOpData2 is usable. On CPUs before Zen, L2Miss does
	 * not exist, or IbsOpData2 has a different layout.
	 */
	machine->blind = zen3_server     ? MEMPHIS_IBS_DATA3_PREFETCH | MEMPHIS_IBS_DATA3_NO_MAB
			 : family < 0x17 ? MEMPHIS_IBS_DATA3_L1_MISS
					 : 0;
	machine->tlb_valid = capabilities & MEMPHIS_IBS_CAP_DTLB ? MEMPHIS_IBS_DATA3_PHYSICAL_VALID : 0;
	machine->user_limit = user_limit;
}
