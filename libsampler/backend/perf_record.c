/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The records that perf writes to the buffer of a sampling event. For their layout, see PERF_RECORD_SAMPLE
 * and PERF_RECORD_LOST in Linux, include/uapi/linux/perf_event.h.
 */
#include <string.h>

#include "decode/pebs_decode.h"
#include "backend/perf_record.h"

struct lost_record {
	struct perf_event_header header;
	__u64 id, lost;
};

/* Position in a record. */
struct place {
	const char *at, *end;
	bool is_short; /* the record ends before the last field */
};

/* Returns the next `bytes` of the record, or NULL if the record is too short. */
static const void *read_bytes(struct place *place, __u64 bytes)
{
	const char *at = place->at;

	if (bytes > (__u64)(place->end - at))
		place->is_short = true;
	if (place->is_short)
		return NULL;
	place->at += bytes;
	return at;
}

static __u64 read_word(struct place *place)
{
	const void *at = read_bytes(place, sizeof(__u64));
	__u64 word = 0;

	if (at)
		memcpy(&word, at, sizeof(word));
	return word;
}

/* Reads the instruction pointer from the user part of a call chain. The attributes limit the chain to one entry. */
static __u64 read_chain(struct place *place)
{
	__u64 count = read_word(place), ip = 0, word;

	for (; count && !place->is_short; count--) {
		word = read_word(place);
		if (word < PERF_CONTEXT_MAX && !ip)
			ip = word;
	}
	return ip;
}

static void read_raw(struct place *place, struct memphis_perf_fields *fields)
{
	const void *at = read_bytes(place, sizeof(fields->raw_bytes));

	if (!at)
		return;
	memcpy(&fields->raw_bytes, at, sizeof(fields->raw_bytes));
	fields->raw = read_bytes(place, fields->raw_bytes);
}

/* Reads the registers. They are missing if the interrupt did not hit a program. */
static void read_registers(struct place *place, __u64 *registers)
{
	unsigned int i;

	if (read_word(place) == PERF_SAMPLE_REGS_ABI_NONE)
		return;
	for (i = 0; i < MEMPHIS_PERF_REGISTERS; i++)
		registers[i] = read_word(place);
}

/* Reads the stack. The record has room for as many bytes as the attributes ask for. The last of these bytes may be unused. */
static void read_stack(struct place *place, struct memphis_perf_fields *fields)
{
	const __u64 room = read_word(place);

	fields->stack = read_bytes(place, room);
	fields->stack_bytes = room ? read_word(place) : 0;
	if (fields->stack_bytes > room)
		place->is_short = true;
}

bool memphis_perf_read_fields(const struct perf_event_header *header, __u64 sample_type,
			      struct memphis_perf_fields *fields)
{
	struct place place = {(const char *)(header + 1), (const char *)header + header->size, false};

	memset(fields, 0, sizeof(*fields));
	if (sample_type & PERF_SAMPLE_IP)
		fields->ip = read_word(&place);
	if (sample_type & PERF_SAMPLE_TIME)
		fields->time_ns = read_word(&place);
	if (sample_type & PERF_SAMPLE_ADDR)
		fields->address = read_word(&place);
	if (sample_type & PERF_SAMPLE_CPU)
		fields->cpu = (__u32)read_word(&place);
	if (sample_type & PERF_SAMPLE_CALLCHAIN)
		fields->interrupted_ip = read_chain(&place);
	if (sample_type & PERF_SAMPLE_RAW)
		read_raw(&place, fields);
	if (sample_type & PERF_SAMPLE_REGS_USER)
		read_registers(&place, fields->user);
	if (sample_type & PERF_SAMPLE_STACK_USER)
		read_stack(&place, fields);
	if (sample_type & PERF_SAMPLE_WEIGHT)
		fields->weight = read_word(&place);
	if (sample_type & PERF_SAMPLE_DATA_SRC)
		fields->data_src = read_word(&place);
	if (sample_type & PERF_SAMPLE_REGS_INTR)
		read_registers(&place, fields->sampled);
	return !place.is_short;
}

__u64 memphis_perf_time(const struct perf_event_header *header, __u64 sample_type)
{
	struct place place = {(const char *)(header + 1), (const char *)header + header->size, false};

	if (header->type != PERF_RECORD_SAMPLE)
		return 0;
	if (sample_type & PERF_SAMPLE_IP)
		read_word(&place);
	return read_word(&place);
}

static unsigned int decode_ibs(const struct memphis_perf_pmu *pmu, const struct memphis_perf_fields *fields,
			       struct memphis_sample *sample)
{
	const unsigned int reason = memphis_ibs_reason(&pmu->machine, fields->raw, fields->raw_bytes);
	__u64 physical;

	if (reason == MEMPHIS_REASON_NONE)
		memphis_ibs_decode(&pmu->machine, fields->raw, sample, &physical);
	return reason;
}

static unsigned int decode_pebs(__u32 event, bool is_exact, const struct memphis_perf_fields *fields,
				struct memphis_sample *sample)
{
	const struct memphis_pebs_record pebs = {
		.pc = fields->ip,
		.exact = is_exact,
		.address = fields->address,
		.data_src = fields->data_src,
		.weight = fields->weight,
		.event = event,
	};

	return memphis_pebs_decode(&pebs, MEMPHIS_PERF_USER_LIMIT, sample);
}

unsigned int memphis_perf_decode(const struct memphis_perf_pmu *pmu, __u32 event,
				 const struct perf_event_header *header,
				 const struct memphis_perf_fields *fields, struct memphis_sample *sample)
{
	unsigned int reason;

	if (pmu->query.hardware == MEMPHIS_HARDWARE_IBS)
		reason = decode_ibs(pmu, fields, sample);
	else
		reason = decode_pebs(event, header->misc & PERF_RECORD_MISC_EXACT_IP, fields, sample);
	sample->time_ns = fields->time_ns + (__u64)pmu->time_offset_ns;
	sample->cpu = (__u16)fields->cpu;
	sample->node = memphis_perf_pmu_node(fields->cpu);
	return reason;
}

/*
 * With IBS, perf replaces the instruction pointer of the interrupt by that of the sampled instruction. The
 * pointer of the interrupt is the first entry of the call chain. With PEBS, the registers come from the
 * hardware's record. perf copies the stack from their stack pointer, unless the interrupt came in the kernel.
 */
void memphis_perf_stack(const struct memphis_perf_pmu *pmu, const struct memphis_perf_fields *fields,
			struct memphis_user_stack *stack, __u32 bytes)
{
	const bool is_ibs = pmu->query.hardware == MEMPHIS_HARDWARE_IBS;
	const __u64 *registers = is_ibs ? fields->user : fields->sampled;
	const __u64 sp = registers[MEMPHIS_PERF_SP];

	memset(stack, 0, sizeof(*stack));
	if (!sp || sp >= MEMPHIS_PERF_USER_LIMIT || sp != fields->user[MEMPHIS_PERF_SP]) {
		stack->flags = MEMPHIS_STACK_IN_KERNEL;
		return;
	}
	stack->ip = is_ibs ? fields->interrupted_ip : registers[MEMPHIS_PERF_IP];
	stack->sp = sp;
	stack->bp = registers[MEMPHIS_PERF_BP];
	stack->bytes = fields->stack_bytes < bytes ? (__u32)fields->stack_bytes : bytes;
	if (stack->bytes)
		memcpy(stack + 1, fields->stack, stack->bytes);
}

__u64 memphis_perf_lost(const struct memphis_perf_pmu *pmu, const struct perf_event_header *header)
{
	if (pmu->attr.read_format & MEMPHIS_PERF_FORMAT_LOST || header->type != PERF_RECORD_LOST ||
	    header->size < sizeof(struct lost_record))
		return 0;
	return ((const struct lost_record *)header)->lost;
}
