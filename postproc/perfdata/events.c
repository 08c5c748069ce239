// SPDX-License-Identifier: BSD-3-Clause
/* Reads the events of a perf.data file. */
#include "perfdata/events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <memphis/sample.h>

#include "decode/pmu_events.h"

/* Smallest accepted size of perf_event_attr: that of Linux 2.6.31, PERF_ATTR_SIZE_VER0. */
#define ATTRIBUTE_BYTES_MIN PERF_ATTR_SIZE_VER0

/* More events than perf can open. */
#define EVENTS_MAX 4096

#define EVENT_CODE       0xffffULL /* bits of a config that contain event code and umask */
#define SAMPLES_ACCESSES (PERF_SAMPLE_IP | PERF_SAMPLE_ADDR | PERF_SAMPLE_TID)

/* Returns the event with this config among those that sample loads by their source, or 0 if there is none. */
static unsigned int source_of(uint64_t config)
{
	unsigned int event;

	for (event = MEMPHIS_EVENT_ACCESS + 1; event < MEMPHIS_EVENTS; event++)
		if ((config & EVENT_CODE) == PEBS_CONFIG_BY_SOURCE(event))
			return event;
	return 0;
}

/*
 * Returns true if the event belongs to IBS. If perf was killed, the file does not contain the names of the
 * PMUs. Then an event of a dynamic PMU with raw data is taken for IBS, which is right on the supported CPUs.
 */
static bool is_of_ibs(const struct memphis_perfdata_events *events, const struct perf_event_attr *attribute)
{
	if (events->ibs_type)
		return attribute->type == events->ibs_type;
	return attribute->type >= PERF_TYPE_MAX && attribute->sample_type & PERF_SAMPLE_RAW;
}

static enum memphis_perfdata_kind kind_of(const struct memphis_perfdata_events *events,
					  const struct memphis_perfdata_event *event)
{
	const struct perf_event_attr *attribute = &event->attribute;
	const uint64_t code = attribute->config & EVENT_CODE;

	if ((attribute->sample_type & (PERF_SAMPLE_IP | PERF_SAMPLE_TID)) !=
	    (PERF_SAMPLE_IP | PERF_SAMPLE_TID))
		return MEMPHIS_PERFDATA_OTHER;
	if (is_of_ibs(events, attribute) && attribute->sample_type & (PERF_SAMPLE_RAW | PERF_SAMPLE_DATA_SRC))
		return MEMPHIS_PERFDATA_IBS;
	if ((attribute->sample_type & SAMPLES_ACCESSES) != SAMPLES_ACCESSES)
		return MEMPHIS_PERFDATA_OTHER;
	if (attribute->type == PERF_TYPE_RAW && code == PEBS_CONFIG)
		return MEMPHIS_PERFDATA_LOADS;
	if (attribute->type == PERF_TYPE_RAW && code == PEBS_CONFIG_AUXILIARY)
		return MEMPHIS_PERFDATA_OTHER;
	if (attribute->type == PERF_TYPE_RAW && source_of(attribute->config))
		return MEMPHIS_PERFDATA_BY_SOURCE;
	return attribute->sample_type & PERF_SAMPLE_DATA_SRC ? MEMPHIS_PERFDATA_ACCESSES
							     : MEMPHIS_PERFDATA_OTHER;
}

static void set_kind(struct memphis_perfdata_events *events, struct memphis_perfdata_event *event)
{
	event->kind = kind_of(events, event);
	event->source = source_of(event->attribute.config);
	events->accesses |= event->kind != MEMPHIS_PERFDATA_OTHER;
}

long memphis_perfdata_events_add(struct memphis_perfdata_events *events, const void *attribute, size_t bytes)
{
	struct memphis_perfdata_event *event;

	if (bytes < ATTRIBUTE_BYTES_MIN || events->count == EVENTS_MAX)
		return -EBADMSG;
	if (memphis_grow(&events->list, &events->room, EVENTS_MAX, sizeof(*events->list)))
		return -ENOMEM;
	event = &events->list[events->count++];
	memset(event, 0, sizeof(*event));
	memcpy(&event->attribute, attribute,
	       bytes < sizeof(event->attribute) ? bytes : sizeof(event->attribute));
	event->layout = memphis_perfdata_layout_of(&event->attribute);
	set_kind(events, event);
	return (long)events->count - 1;
}

int memphis_perfdata_events_add_id(struct memphis_perfdata_events *events, size_t event, uint64_t id)
{
	const size_t before = events->ids.count;
	const uint32_t number = memphis_strings_add(&events->ids, &id, sizeof(id));

	if (number == MEMPHIS_NO_STRING ||
	    memphis_grow(&events->places, &events->place_room, events->ids.count, sizeof(*events->places)))
		return -ENOMEM;
	if (events->ids.count > before)
		events->places[number] = (struct memphis_perfdata_place){event, MEMPHIS_PERFDATA_NO_CPU};
	return 0;
}

void memphis_perfdata_events_set_ibs(struct memphis_perfdata_events *events, uint32_t type)
{
	size_t i;

	if (events->ibs_type)
		return;
	events->ibs_type = type;
	events->accesses = false;
	for (i = 0; i < events->count; i++)
		set_kind(events, &events->list[i]);
}

void memphis_perfdata_events_close(struct memphis_perfdata_events *events)
{
	size_t i;

	for (i = 0; i < events->count; i++)
		free(events->list[i].name);
	free(events->list);
	memphis_strings_close(&events->ids);
	free(events->places);
	memset(events, 0, sizeof(*events));
}

/*
 * Stores the id of the record. Returns false if the record has none. All events must have the id at the same
 * position, or use IDENTIFIER.
 */
static bool id_of(const struct memphis_perfdata_event *first, const struct perf_event_header *record,
		  uint64_t *id)
{
	const uint64_t type = first->attribute.sample_type;
	size_t at, after = 0;

	if (record->type == PERF_RECORD_SAMPLE) {
		at = first->layout.identifier ? first->layout.identifier : first->layout.id;
	} else {
		if (!(type & PERF_SAMPLE_IDENTIFIER))
			after = (type & PERF_SAMPLE_STREAM_ID ? 8 : 0) + (type & PERF_SAMPLE_CPU ? 8 : 0);
		at = first->attribute.sample_id_all && type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID)
			     ? record->size - sizeof(*id) - after
			     : 0;
	}
	if (at < sizeof(*record) || at + sizeof(*id) > record->size)
		return false;
	memcpy(id, (const uint8_t *)record + at, sizeof(*id));
	return true;
}

/* Returns what the id refers to, or NULL. */
static struct memphis_perfdata_place *find_place(const struct memphis_perfdata_events *events, uint64_t id)
{
	const uint32_t found =
		events->ids.count ? memphis_strings_find(&events->ids, &id, sizeof(id)) : MEMPHIS_NO_STRING;

	return found == MEMPHIS_NO_STRING ? NULL : &events->places[found];
}

void memphis_perfdata_events_place(struct memphis_perfdata_events *events, uint64_t id, uint32_t cpu)
{
	struct memphis_perfdata_place *found = find_place(events, id);

	if (!found)
		return;
	found->cpu = cpu;
	events->placed = true;
}

struct memphis_perfdata_event *memphis_perfdata_events_of(const struct memphis_perfdata_events *events,
							  const struct perf_event_header *record,
							  uint32_t *cpu)
{
	const struct memphis_perfdata_place *found;
	uint64_t id = 0;

	*cpu = MEMPHIS_PERFDATA_NO_CPU;
	if ((events->count == 1 && !events->placed) || (events->count && !id_of(events->list, record, &id)))
		return events->list;
	/* Records that perf has synthesized have no id. Use the first event. */
	if (!id && events->count && record->type != PERF_RECORD_SAMPLE)
		return events->list;
	found = find_place(events, id);
	if (!found)
		return events->count == 1 ? events->list : NULL;
	*cpu = found->cpu;
	return &events->list[found->event];
}
