/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The session's filter for plain loads, precomputed for each data source, so that most samples are dropped
 * before they are decoded. Pure, like the decoders.
 */
#ifndef MEMPHIS_IBS_FILTER_H
#define MEMPHIS_IBS_FILTER_H

#include "decode/ibs_decode.h"

/*
 * Index of reasons[] for a hit in L1 or L2. Lower indices are the low byte of IbsOpData2, which contains
 * DataSrc and RmtNode.
 */
#define MEMPHIS_IBS_CACHED 0x100

struct memphis_ibs_filter {
	/* Bits of IbsOpData3, of which a plain load has only LOAD set. */
	__u64 plain;
	/*
	 * enum memphis_reason to drop the load whatever its latency; MEMPHIS_REASONS if memphis_filter() has
	 * to decide.
	 */
	__u8 reasons[MEMPHIS_IBS_CACHED + 1];
};

void memphis_ibs_filter_init(struct memphis_ibs_filter *filter, const struct memphis_ibs_machine *machine,
			     const struct memphis_config *config);

/*
 * Returns the reason to drop a record that memphis_ibs_reason() has accepted, or MEMPHIS_REASONS if it has to
 * be decoded for memphis_filter() to decide.
 */
static __always_inline unsigned int memphis_ibs_filter(const struct memphis_ibs_filter *filter,
						       const struct memphis_ibs_record *raw)
{
	const __u64 missed = MEMPHIS_IBS_DATA3_L1_MISS | MEMPHIS_IBS_DATA3_L2_MISS;
	__u64 data3 = raw->registers[MEMPHIS_IBS_OP_DATA3];

	if ((data3 & filter->plain) != MEMPHIS_IBS_DATA3_LOAD)
		return MEMPHIS_REASONS;
	return filter->reasons[(data3 & missed) == missed ? raw->registers[MEMPHIS_IBS_OP_DATA2] & 0xff
							  : MEMPHIS_IBS_CACHED];
}

#endif
