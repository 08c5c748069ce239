/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A table of filter results for plain loads, computed once per session for each data source, so that most samples
 * can be dropped before they are decoded. Like the decoders, the code uses no kernel services.
 */
#ifndef MEMPHIS_IBS_FILTER_H
#define MEMPHIS_IBS_FILTER_H

#include "decode/ibs_decode.h"

/*
 * Index in reasons[] for loads that hit in L1 or L2. The index for other loads is the low byte of IbsOpData2, which
 * contains DataSrc and RmtNode.
 */
#define MEMPHIS_IBS_CACHED 0x100

struct memphis_ibs_filter {
	/* Mask for IbsOpData3: a load is plain if LOAD is the only bit set under this mask. */
	__u64 plain;
	/*
	 * enum memphis_reason if the load is to be dropped regardless of its latency; MEMPHIS_REASON_NONE if
	 * memphis_filter() has to decide.
	 */
	__u8 reasons[MEMPHIS_IBS_CACHED + 1];
};

void memphis_ibs_filter_init(struct memphis_ibs_filter *filter, const struct memphis_ibs_machine *machine,
			     const struct memphis_config *config);

/*
 * Returns the reason to drop a record that memphis_ibs_reason() has accepted. Returns MEMPHIS_REASON_NONE if
 * the record has to be decoded and passed to memphis_filter().
 */
static __always_inline unsigned int memphis_ibs_filter(const struct memphis_ibs_filter *filter,
						       const struct memphis_ibs_record *raw)
{
	const __u64 missed = MEMPHIS_IBS_DATA3_L1_MISS | MEMPHIS_IBS_DATA3_L2_MISS;
	__u64 data3 = raw->registers[MEMPHIS_IBS_OP_DATA3];

	if ((data3 & filter->plain) != MEMPHIS_IBS_DATA3_LOAD)
		return MEMPHIS_REASON_NONE;
	return filter->reasons[(data3 & missed) == missed ? raw->registers[MEMPHIS_IBS_OP_DATA2] & 0xff
							  : MEMPHIS_IBS_CACHED];
}

#endif
