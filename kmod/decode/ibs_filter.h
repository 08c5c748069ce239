/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the session's filter says of a plain load, remembered for each place its data can come from, so that most
 * samples are dropped before they are decoded. Pure, like the decoders.
 */
#ifndef MEMPHIS_IBS_FILTER_H
#define MEMPHIS_IBS_FILTER_H

#include "decode/ibs_decode.h"

#define MEMPHIS_IBS_CACHED \
	0x100 /* a hit in L1 or L2; below: the low byte of IbsOpData2, all that DataSrc and RmtNode are in */

struct memphis_ibs_filter {
	__u64 plain; /* IbsOpData3: of these bits a plain load has LOAD only */
	__u8 reasons[MEMPHIS_IBS_CACHED +
		     1]; /* enum memphis_reason, for all latencies; MEMPHIS_REASONS: it depends */
};

void memphis_ibs_filter_init(struct memphis_ibs_filter *filter, const struct memphis_ibs_machine *machine,
			     const struct memphis_config *config);

/*
 * The reason to drop a sample of which memphis_ibs_reason() had nothing to say. MEMPHIS_REASONS: none was found without
 * decoding; memphis_filter() has the last word.
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
