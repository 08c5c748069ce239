// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads the kernel's records. Linux, include/uapi/linux/perf_event.h, describes their layout: see
 * PERF_RECORD_SAMPLE and struct sample_id.
 */
#include "perfdata/sample.h"

#include <string.h>

/* The current position in a record. */
struct place {
	const uint8_t *at, *end;
	bool is_short; /* the record is shorter than its fields */
};

static const uint8_t *next_bytes(struct place *place, uint64_t bytes)
{
	const uint8_t *at = place->at;

	if (bytes > (uint64_t)(place->end - at))
		place->is_short = true;
	if (place->is_short)
		return NULL;
	place->at += bytes;
	return at;
}

static uint64_t next_word(struct place *place)
{
	const uint8_t *at = next_bytes(place, 8);
	uint64_t word = 0;

	if (at)
		memcpy(&word, at, 8);
	return word;
}

static const uint8_t *next_words(struct place *place, uint64_t words)
{
	if (words > UINT64_MAX / 8)
		place->is_short = true;
	return next_bytes(place, 8 * words);
}

typedef void read_field(struct place *place, const struct perf_event_attr *attribute,
			struct memphis_perfdata_sample *sample);

static void skip_word(struct place *place, const struct perf_event_attr *attribute,
		      struct memphis_perfdata_sample *sample)
{
	(void)attribute;
	(void)sample;
	next_word(place);
}

#define READ_WORD(name, member)                                                               \
	static void read_##name(struct place *place, const struct perf_event_attr *attribute, \
				struct memphis_perfdata_sample *sample)                       \
	{                                                                                     \
		(void)attribute;                                                              \
		sample->member = next_word(place);                                            \
	}
READ_WORD(ip, ip)
READ_WORD(time, time_ns)
READ_WORD(address, address)
READ_WORD(period, period)
READ_WORD(weight, weight)
READ_WORD(data_src, data_src)
READ_WORD(physical, physical)

static void read_thread(struct place *place, const struct perf_event_attr *attribute,
			struct memphis_perfdata_sample *sample)
{
	const uint64_t word = next_word(place);

	(void)attribute;
	sample->pid = (uint32_t)word;
	sample->tid = (uint32_t)(word >> 32);
}

static void read_cpu(struct place *place, const struct perf_event_attr *attribute,
		     struct memphis_perfdata_sample *sample)
{
	(void)attribute;
	sample->cpu = (uint32_t)next_word(place);
	sample->has_cpu = true;
}

/* Skips the counts of the event, or of all events of its group. */
static void skip_counts(struct place *place, const struct perf_event_attr *attribute,
			struct memphis_perfdata_sample *sample)
{
	const uint64_t format = attribute->read_format;
	const uint64_t times = (uint64_t)__builtin_popcountll(
		format & (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING));
	const uint64_t each =
		1 + (uint64_t)__builtin_popcountll(format & (PERF_FORMAT_ID | MEMPHIS_PERFDATA_FORMAT_LOST));
	uint64_t events = 1;

	(void)sample;
	if (format & PERF_FORMAT_GROUP)
		events = next_word(place);
	next_words(place, times);
	next_words(place, events > UINT32_MAX ? UINT64_MAX : events * each);
}

static void read_chain(struct place *place, const struct perf_event_attr *attribute,
		       struct memphis_perfdata_sample *sample)
{
	(void)attribute;
	sample->chain_words = next_word(place);
	sample->chain = next_words(place, sample->chain_words);
	if (!sample->chain)
		sample->chain_words = 0;
}

static void read_raw(struct place *place, const struct perf_event_attr *attribute,
		     struct memphis_perfdata_sample *sample)
{
	const uint8_t *at = next_bytes(place, sizeof(sample->raw_bytes));

	(void)attribute;
	if (!at)
		return;
	memcpy(&sample->raw_bytes, at, sizeof(sample->raw_bytes));
	sample->raw = next_bytes(place, sample->raw_bytes);
	if (!sample->raw)
		sample->raw_bytes = 0;
}

static void skip_branches(struct place *place, const struct perf_event_attr *attribute,
			  struct memphis_perfdata_sample *sample)
{
	const uint64_t count = next_word(place);
	const bool counted = attribute->branch_sample_type & MEMPHIS_PERFDATA_BRANCH_COUNTERS;

	(void)sample;
	if (attribute->branch_sample_type & MEMPHIS_PERFDATA_BRANCH_HW_INDEX)
		next_word(place);
	next_words(place, count > UINT32_MAX ? UINT64_MAX : count * (counted ? 4 : 3));
}

/* Returns the registers of the mask, or NULL if there are none. */
static const uint8_t *take_registers(struct place *place, uint64_t mask, uint64_t *abi)
{
	*abi = next_word(place);
	return *abi == PERF_SAMPLE_REGS_ABI_NONE ? NULL
						 : next_words(place, (uint64_t)__builtin_popcountll(mask));
}

static void read_user_registers(struct place *place, const struct perf_event_attr *attribute,
				struct memphis_perfdata_sample *sample)
{
	uint64_t abi;

	sample->registers = take_registers(place, attribute->sample_regs_user, &abi);
	sample->register_mask = attribute->sample_regs_user;
	if (abi != PERF_SAMPLE_REGS_ABI_64)
		sample->registers = NULL;
}

/* The size of the field is what the event asked for. A word with the size of the copy follows. */
static void read_stack(struct place *place, const struct perf_event_attr *attribute,
		       struct memphis_perfdata_sample *sample)
{
	const uint64_t room = next_word(place);
	uint64_t bytes;

	(void)attribute;
	sample->stack = next_bytes(place, room);
	bytes = room ? next_word(place) : 0;
	if (!place->is_short)
		sample->stack_bytes = bytes < room ? bytes : room;
}

static void skip_sampled_registers(struct place *place, const struct perf_event_attr *attribute,
				   struct memphis_perfdata_sample *sample)
{
	uint64_t abi;

	(void)sample;
	take_registers(place, attribute->sample_regs_intr, &abi);
}

/* The fields of a sample in the order of the record. Fields after the last one here are not used. */
static const struct field {
	uint64_t types;
	read_field *read;
} fields[] = {
	{PERF_SAMPLE_IDENTIFIER, skip_word},
	{PERF_SAMPLE_IP, read_ip},
	{PERF_SAMPLE_TID, read_thread},
	{PERF_SAMPLE_TIME, read_time},
	{PERF_SAMPLE_ADDR, read_address},
	{PERF_SAMPLE_ID, skip_word},
	{PERF_SAMPLE_STREAM_ID, skip_word},
	{PERF_SAMPLE_CPU, read_cpu},
	{PERF_SAMPLE_PERIOD, read_period},
	{PERF_SAMPLE_READ, skip_counts},
	{PERF_SAMPLE_CALLCHAIN, read_chain},
	{PERF_SAMPLE_RAW, read_raw},
	{PERF_SAMPLE_BRANCH_STACK, skip_branches},
	{PERF_SAMPLE_REGS_USER, read_user_registers},
	{PERF_SAMPLE_STACK_USER, read_stack},
	{PERF_SAMPLE_WEIGHT | MEMPHIS_PERFDATA_SAMPLE_WEIGHT_STRUCT, read_weight},
	{PERF_SAMPLE_DATA_SRC, read_data_src},
	{PERF_SAMPLE_TRANSACTION, skip_word},
	{PERF_SAMPLE_REGS_INTR, skip_sampled_registers},
	{MEMPHIS_PERFDATA_SAMPLE_PHYS_ADDR, read_physical},
};

bool memphis_perfdata_sample_read(const struct memphis_perfdata_event *event,
				  const struct perf_event_header *record,
				  struct memphis_perfdata_sample *sample)
{
	const struct perf_event_attr *attribute = &event->attribute;
	struct place place = {(const uint8_t *)(record + 1), (const uint8_t *)record + record->size, false};
	size_t i;

	memset(sample, 0, sizeof(*sample));
	for (i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (attribute->sample_type & fields[i].types)
			fields[i].read(&place, attribute, sample);
	return !place.is_short;
}

/* The fields at the end of records other than SAMPLE, in their order. */
static const struct field trailer[] = {
	{PERF_SAMPLE_TID, read_thread}, {PERF_SAMPLE_TIME, read_time},
	{PERF_SAMPLE_ID, skip_word},    {PERF_SAMPLE_STREAM_ID, skip_word},
	{PERF_SAMPLE_CPU, read_cpu},    {PERF_SAMPLE_IDENTIFIER, skip_word},
};

#define TRAILER_FIELDS (sizeof(trailer) / sizeof(*trailer))

size_t memphis_perfdata_trailer_bytes(const struct memphis_perfdata_event *event)
{
	size_t bytes = 0, i;

	for (i = 0; event->attribute.sample_id_all && i < TRAILER_FIELDS; i++)
		bytes += event->attribute.sample_type & trailer[i].types ? 8 : 0;
	return bytes;
}

bool memphis_perfdata_trailer_read(const struct memphis_perfdata_event *event,
				   const struct perf_event_header *record,
				   struct memphis_perfdata_sample *sample)
{
	const size_t bytes = memphis_perfdata_trailer_bytes(event);
	const uint8_t *end = (const uint8_t *)record + record->size;
	struct place place = {end - bytes, end, false};
	size_t i;

	memset(sample, 0, sizeof(*sample));
	if (!bytes || bytes > record->size - sizeof(*record))
		return false;
	for (i = 0; i < TRAILER_FIELDS; i++)
		if (event->attribute.sample_type & trailer[i].types)
			trailer[i].read(&place, &event->attribute, sample);
	return true;
}

bool memphis_perfdata_time(const struct memphis_perfdata_event *event, const struct perf_event_header *record,
			   uint64_t *time_ns)
{
	const uint64_t type = event->attribute.sample_type;
	const uint64_t before = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID;
	const size_t at = 8 * (size_t)__builtin_popcountll(type & before);
	struct memphis_perfdata_sample sample;

	if (!(type & PERF_SAMPLE_TIME))
		return false;
	if (record->type != PERF_RECORD_SAMPLE) {
		if (!memphis_perfdata_trailer_read(event, record, &sample))
			return false;
		*time_ns = sample.time_ns;
		return true;
	}
	if (record->size < sizeof(*record) + at + 8)
		return false;
	memcpy(time_ns, (const uint8_t *)(record + 1) + at, 8);
	return true;
}
