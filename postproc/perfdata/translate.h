/* SPDX-License-Identifier: BSD-3-Clause */
/* A sample of perf's as one of the sample files, by the translators that the module and the library use. */
#ifndef MEMPHIS_PERFDATA_TRANSLATE_H
#define MEMPHIS_PERFDATA_TRANSLATE_H

#include <memphis/sample.h>

#include "decode/ibs_decode.h"
#include "perfdata/origin.h"
#include "perfdata/sample.h"

struct memphis_perfdata_translator {
	const struct memphis_perfdata_origin *origin;
	struct memphis_ibs_machine ibs;
	uint32_t capabilities; /* of IBS, as a raw record had them; 0: none so far */
};

/*
 * Decodes the sample of an event of memory accesses. Returns MEMPHIS_REASON_NONE, and sets all members of *to except the region; else the reason why
 * there is no sample.
 */
unsigned int memphis_perfdata_translate(struct memphis_perfdata_translator *translator,
					const struct memphis_perfdata_event *event,
					const struct perf_event_header *record,
					const struct memphis_perfdata_sample *from,
					struct memphis_sample *to);

#endif
