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

/* Reads a field of variable size. */
typedef void read_field(struct place *place, const struct perf_event_attr *attribute,
			struct memphis_perfdata_sample *sample);

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

#define AT(field) offsetof(struct memphis_perfdata_layout, field)
/* The word is not used. No event has its offset at this place of a layout. */
#define NOWHERE SIZE_MAX

/* The fields of a sample in the order of the record. Fields after the last one here are not used. */
static const struct field {
	uint64_t types;
	size_t at;        /* where a layout has the place of the field, if it is a word */
	read_field *read; /* NULL for words */
} fields[] = {
	{PERF_SAMPLE_IDENTIFIER, AT(identifier), NULL},
	{PERF_SAMPLE_IP, AT(ip), NULL},
	{PERF_SAMPLE_TID, AT(thread), NULL},
	{PERF_SAMPLE_TIME, AT(time), NULL},
	{PERF_SAMPLE_ADDR, AT(address), NULL},
	{PERF_SAMPLE_ID, AT(id), NULL},
	{PERF_SAMPLE_STREAM_ID, NOWHERE, NULL},
	{PERF_SAMPLE_CPU, AT(cpu), NULL},
	{PERF_SAMPLE_PERIOD, AT(period), NULL},
	{PERF_SAMPLE_READ, NOWHERE, skip_counts},
	{PERF_SAMPLE_CALLCHAIN, NOWHERE, read_chain},
	{PERF_SAMPLE_RAW, NOWHERE, read_raw},
	{PERF_SAMPLE_BRANCH_STACK, NOWHERE, skip_branches},
	{PERF_SAMPLE_REGS_USER, NOWHERE, read_user_registers},
	{PERF_SAMPLE_STACK_USER, NOWHERE, read_stack},
	{PERF_SAMPLE_WEIGHT | MEMPHIS_PERFDATA_SAMPLE_WEIGHT_STRUCT, AT(weight), NULL},
	{PERF_SAMPLE_DATA_SRC, AT(data_src), NULL},
	{PERF_SAMPLE_TRANSACTION, NOWHERE, NULL},
	{PERF_SAMPLE_REGS_INTR, NOWHERE, skip_sampled_registers},
	{MEMPHIS_PERFDATA_SAMPLE_PHYS_ADDR, AT(physical), NULL},
};

/* The fields at the end of records other than SAMPLE, in their order. */
static const struct field trailer[] = {
	{PERF_SAMPLE_TID, AT(thread), NULL}, {PERF_SAMPLE_TIME, AT(time), NULL},
	{PERF_SAMPLE_ID, AT(id), NULL},      {PERF_SAMPLE_STREAM_ID, NOWHERE, NULL},
	{PERF_SAMPLE_CPU, AT(cpu), NULL},    {PERF_SAMPLE_IDENTIFIER, AT(identifier), NULL},
};

#define FIELDS         (sizeof(fields) / sizeof(*fields))
#define TRAILER_FIELDS (sizeof(trailer) / sizeof(*trailer))

static void set_place(struct memphis_perfdata_layout *layout, const struct field *field, size_t place)
{
	const uint16_t bytes = (uint16_t)place;

	if (field->at != NOWHERE)
		memcpy((uint8_t *)layout + field->at, &bytes, sizeof(bytes));
}

struct memphis_perfdata_layout memphis_perfdata_layout_of(const struct perf_event_attr *attribute)
{
	struct memphis_perfdata_layout layout = {.bytes = sizeof(struct perf_event_header)};
	size_t i;

	for (i = 0; i < FIELDS; i++) {
		if (!(attribute->sample_type & fields[i].types))
			continue;
		if (fields[i].read)
			break;
		set_place(&layout, &fields[i], layout.bytes);
		layout.bytes += 8;
	}
	layout.first_variable = (uint16_t)i;
	return layout;
}

/* Reads the fields from the first one of variable size on, and sets the places of words after it. */
static bool read_rest(const struct perf_event_attr *attribute, const struct perf_event_header *record,
		      struct memphis_perfdata_layout *layout, struct memphis_perfdata_sample *sample)
{
	const uint8_t *begin = (const uint8_t *)record;
	struct place place = {begin + layout->bytes, begin + record->size, false};
	size_t i;

	for (i = layout->first_variable; i < FIELDS; i++) {
		if (!(attribute->sample_type & fields[i].types))
			continue;
		set_place(layout, &fields[i], (size_t)(place.at - begin));
		if (fields[i].read)
			fields[i].read(&place, attribute, sample);
		else
			next_word(&place);
	}
	return !place.is_short;
}

static uint64_t word_at(const struct perf_event_header *record, uint16_t place)
{
	uint64_t word;

	memcpy(&word, (const uint8_t *)record + place, sizeof(word));
	return place ? word : 0;
}

/* Reads the words. All of them must be in the record. */
static void read_words(const struct perf_event_header *record, const struct memphis_perfdata_layout *layout,
		       struct memphis_perfdata_sample *sample)
{
	const uint64_t thread = word_at(record, layout->thread);

	sample->ip = word_at(record, layout->ip);
	sample->pid = (uint32_t)thread;
	sample->tid = (uint32_t)(thread >> 32);
	sample->time_ns = word_at(record, layout->time);
	sample->address = word_at(record, layout->address);
	sample->cpu = (uint32_t)word_at(record, layout->cpu);
	sample->has_cpu = layout->cpu;
	sample->period = word_at(record, layout->period);
	sample->weight = word_at(record, layout->weight);
	sample->data_src = word_at(record, layout->data_src);
	sample->physical = word_at(record, layout->physical);
}

bool memphis_perfdata_sample_read(const struct perf_event_attr *attribute,
				  const struct memphis_perfdata_layout *layout,
				  const struct perf_event_header *record,
				  struct memphis_perfdata_sample *sample)
{
	struct memphis_perfdata_layout own;

	memset(sample, 0, sizeof(*sample));
	if (record->size < layout->bytes)
		return false;
	if (layout->first_variable < FIELDS) {
		own = *layout;
		if (!read_rest(attribute, record, &own, sample))
			return false;
		layout = &own;
	}
	read_words(record, layout, sample);
	return true;
}

size_t memphis_perfdata_trailer_bytes(const struct perf_event_attr *attribute)
{
	size_t bytes = 0, i;

	for (i = 0; attribute->sample_id_all && i < TRAILER_FIELDS; i++)
		bytes += attribute->sample_type & trailer[i].types ? 8 : 0;
	return bytes;
}

bool memphis_perfdata_trailer_read(const struct perf_event_attr *attribute,
				   const struct perf_event_header *record,
				   struct memphis_perfdata_sample *sample)
{
	const size_t bytes = memphis_perfdata_trailer_bytes(attribute);
	struct memphis_perfdata_layout layout = {0};
	size_t place = record->size - bytes, i;

	memset(sample, 0, sizeof(*sample));
	if (!bytes || bytes > record->size - sizeof(*record))
		return false;
	for (i = 0; i < TRAILER_FIELDS; i++)
		if (attribute->sample_type & trailer[i].types) {
			set_place(&layout, &trailer[i], place);
			place += 8;
		}
	read_words(record, &layout, sample);
	return true;
}

bool memphis_perfdata_time(const struct perf_event_attr *attribute,
			   const struct memphis_perfdata_layout *layout,
			   const struct perf_event_header *record, uint64_t *time_ns)
{
	struct memphis_perfdata_sample sample;

	if (!layout->time)
		return false;
	if (record->type != PERF_RECORD_SAMPLE) {
		if (!memphis_perfdata_trailer_read(attribute, record, &sample))
			return false;
		*time_ns = sample.time_ns;
		return true;
	}
	if (record->size < layout->time + 8u)
		return false;
	*time_ns = word_at(record, layout->time);
	return true;
}
