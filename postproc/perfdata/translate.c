// SPDX-License-Identifier: BSD-3-Clause
/* Converts a perf sample to a sample of the sample files. */
#include "perfdata/translate.h"

#include <stdio.h>
#include <string.h>

#include "decode/pebs_decode.h"
#include "perfdata/data_src.h"

/* Sets up the IBS decoder. The string cpuid has the form "AuthenticAMD,25,1,1": vendor, family, model and stepping. */
static void know_ibs(struct memphis_perfdata_translator *translator, uint32_t capabilities)
{
	unsigned int family = 0, model = 0;

	if (translator->origin->cpuid)
		sscanf(translator->origin->cpuid, "%*[^,],%u,%u", &family, &model);
	memphis_ibs_machine_init(&translator->ibs, family, model, capabilities, MEMPHIS_PERFDATA_USER_LIMIT);
	translator->capabilities = capabilities;
}

static unsigned int decode_raw(struct memphis_perfdata_translator *translator,
			       const struct memphis_perfdata_sample *from, struct memphis_sample *to,
			       uint64_t *physical)
{
	struct memphis_ibs_record raw;
	unsigned int reason;
	__u64 found = MEMPHIS_IBS_NO_PHYSICAL;

	memcpy(&raw, from->raw, sizeof(raw));
	if (raw.capabilities != translator->capabilities)
		know_ibs(translator, raw.capabilities);
	reason = memphis_ibs_reason(&translator->ibs, &raw, sizeof(raw));
	if (reason != MEMPHIS_REASON_NONE)
		return reason;
	memphis_ibs_decode(&translator->ibs, &raw, to, &found);
	if (found != MEMPHIS_IBS_NO_PHYSICAL)
		*physical = found;
	return reason;
}

/* For a store, source and latency have no meaning. In sample files, they belong to loads. */
static void make_store(struct memphis_sample *sample)
{
	sample->flags = (sample->flags &
			 (MEMPHIS_FLAG_LOCKED | MEMPHIS_FLAG_L1_TLB_MISS | MEMPHIS_FLAG_L2_TLB_MISS)) |
			MEMPHIS_FLAG_STORE;
	sample->source = MEMPHIS_SOURCE_UNKNOWN;
	sample->latency_cycles = 0;
}

static unsigned int decode_source(const struct memphis_perfdata_event *event,
				  const struct perf_event_header *record,
				  const struct memphis_perfdata_sample *from, struct memphis_sample *to)
{
	const struct memphis_data_src source = memphis_data_src_of(from->data_src);
	const struct memphis_pebs_record pebs = {
		.pc = from->ip,
		.exact = record->misc & MEMPHIS_PERFDATA_MISC_EXACT_IP,
		.address = from->address,
		.data_src = source.value,
		.weight = (uint32_t)from->weight,
		.event = event->kind == MEMPHIS_PERFDATA_BY_SOURCE ? event->source : MEMPHIS_EVENT_ACCESS,
	};
	unsigned int reason = memphis_pebs_decode(&pebs, MEMPHIS_PERFDATA_USER_LIMIT, to);

	if (event->kind == MEMPHIS_PERFDATA_BY_SOURCE)
		return reason;
	/* Most operations that IBS samples do not access memory. */
	if (!source.load && !source.store &&
	    (reason == MEMPHIS_REASON_NONE || reason == MEMPHIS_REASON_NO_ADDRESS))
		return MEMPHIS_REASON_NOT_MEMORY;
	if (reason != MEMPHIS_REASON_NONE)
		return reason;
	if (source.store && source.load)
		to->flags |= MEMPHIS_FLAG_STORE;
	else if (source.store)
		make_store(to);
	return reason;
}

unsigned int memphis_perfdata_translate(struct memphis_perfdata_translator *translator,
					const struct memphis_perfdata_event *event,
					const struct perf_event_header *record,
					const struct memphis_perfdata_sample *from, struct memphis_sample *to)
{
	const unsigned int mode = record->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	uint64_t physical = from->physical;
	unsigned int reason;

	memset(to, 0, sizeof(*to));
	if (mode == PERF_RECORD_MISC_GUEST_KERNEL || mode == PERF_RECORD_MISC_GUEST_USER)
		return MEMPHIS_REASON_GUEST;
	if (event->kind == MEMPHIS_PERFDATA_IBS && from->raw_bytes >= sizeof(struct memphis_ibs_record))
		reason = decode_raw(translator, from, to, &physical);
	else
		reason = decode_source(event, record, from, to);
	to->time_ns = from->time_ns;
	to->cpu = (uint16_t)from->cpu;
	to->node = from->has_cpu ? memphis_perfdata_node_of_cpu(translator->origin, from->cpu)
				 : MEMPHIS_NODE_UNKNOWN;
	to->home_node = memphis_perfdata_node_of_memory(translator->origin, physical);
	return reason;
}
