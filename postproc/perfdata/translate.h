/* SPDX-License-Identifier: BSD-3-Clause */
/* Converts a perf sample to a sample of the sample files. Uses the same decoders as the kernel module and the library. */
#ifndef MEMPHIS_PERFDATA_TRANSLATE_H
#define MEMPHIS_PERFDATA_TRANSLATE_H

#include <memphis/sample.h>

#include "decode/ibs_decode.h"
#include "perfdata/origin.h"
#include "perfdata/sample.h"

struct memphis_perfdata_translator {
	const struct memphis_perfdata_origin *origin;
	struct memphis_ibs_machine ibs;
	uint32_t capabilities; /* IBS capabilities from a raw record; 0 if there was none so far */
};

/*
 * Decodes a sample of an event that samples memory accesses. Returns MEMPHIS_REASON_NONE, and sets all
 * members of *to except the region. Otherwise returns the reason why the sample is dropped.
 */
unsigned int memphis_perfdata_translate(struct memphis_perfdata_translator *translator,
					const struct memphis_perfdata_event *event,
					const struct perf_event_header *record,
					const struct memphis_perfdata_sample *from,
					struct memphis_sample *to);

#endif
