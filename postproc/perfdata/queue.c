// SPDX-License-Identifier: BSD-3-Clause
/* Puts the records of a perf.data file into the order of their times. */
#include "perfdata/queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"

/* Maximum size of the waiting records. A file without rounds may exceed it. Then the older half of the records is delivered. */
#define WAITING_BYTES_MAX (256u << 20)

#define DIGIT_BITS 8
#define DIGITS     (1u << DIGIT_BITS)

/* Sorts the records by one digit of their times since `begin_ns`. Records with equal digits keep their order. */
static void sort_by_digit(const struct memphis_perfdata_waiting *from, struct memphis_perfdata_waiting *to,
			  size_t count, uint64_t begin_ns, unsigned int shift)
{
	uint32_t places[DIGITS] = {0}, place = 0, digit, number;
	size_t i;

	for (i = 0; i < count; i++)
		places[(from[i].time_ns - begin_ns) >> shift & (DIGITS - 1)]++;
	for (digit = 0; digit < DIGITS; digit++) {
		number = places[digit];
		places[digit] = place;
		place += number;
	}
	for (i = 0; i < count; i++)
		to[places[(from[i].time_ns - begin_ns) >> shift & (DIGITS - 1)]++] = from[i];
}

static void swap_lists(struct memphis_perfdata_queue *queue)
{
	struct memphis_perfdata_waiting *list = queue->list;
	const size_t room = queue->room;

	queue->list = queue->spare_list;
	queue->room = queue->spare_list_room;
	queue->spare_list = list;
	queue->spare_list_room = room;
}

/*
 * Sorts the records by time. Records of the same time keep their order. Uses radix sort, because the times of
 * two rounds differ in few digits only. Returns 0 or -ENOMEM.
 */
static int sort(struct memphis_perfdata_queue *queue)
{
	const struct memphis_perfdata_waiting *record = queue->list, *end = record + queue->count;
	uint64_t first = UINT64_MAX, last = 0;
	unsigned int shift;
	bool sorted = true;

	for (; record < end; record++) {
		sorted &= record->time_ns >= last;
		first = record->time_ns < first ? record->time_ns : first;
		last = record->time_ns > last ? record->time_ns : last;
	}
	if (sorted)
		return 0;
	if (memphis_grow(&queue->spare_list, &queue->spare_list_room, queue->count, sizeof(*record)))
		return -ENOMEM;
	for (shift = 0; shift < 64 && (last - first) >> shift; shift += DIGIT_BITS) {
		sort_by_digit(queue->list, queue->spare_list, queue->count, first, shift);
		swap_lists(queue);
	}
	return 0;
}

/* Sorts the waiting records. Those with a time up to time_ns can then be delivered. */
static int make_ready(struct memphis_perfdata_queue *queue, uint64_t time_ns)
{
	const struct memphis_perfdata_waiting *list;

	if (sort(queue))
		return -ENOMEM;
	list = queue->list;
	queue->ready = memphis_bisect(at, queue->count, list[at].time_ns <= time_ns);
	return 0;
}

/* Removes the delivered records from the queue. Returns 0 or -ENOMEM. */
static int compact(struct memphis_perfdata_queue *queue)
{
	struct memphis_perfdata_waiting *list = queue->list;
	uint8_t *bytes = queue->bytes;
	const size_t room = queue->byte_room;
	uint32_t used = 0;
	uint16_t size;
	size_t i;

	if (!queue->next)
		return 0;
	if (memphis_grow(&queue->spare, &queue->spare_room, queue->byte_count + 1, 1))
		return -ENOMEM;
	for (i = queue->next; i < queue->count; i++) {
		size = ((const struct perf_event_header *)(bytes + list[i].offset))->size;
		memcpy(queue->spare + used, bytes + list[i].offset, size);
		list[i - queue->next] = list[i];
		list[i - queue->next].offset = used;
		used += (size + 7u) & ~7u;
	}
	queue->count -= queue->next;
	queue->next = queue->ready = 0;
	queue->bytes = queue->spare;
	queue->byte_room = queue->spare_room;
	queue->spare = bytes;
	queue->spare_room = room;
	queue->byte_count = used;
	return 0;
}

int memphis_perfdata_queue_add(struct memphis_perfdata_queue *queue,
			       const struct memphis_perfdata_record *record)
{
	const size_t bytes = (record->header->size + 7u) & ~7u;
	struct memphis_perfdata_waiting *added;

	if (memphis_grow(&queue->bytes, &queue->byte_room, queue->byte_count + bytes, 1))
		return -ENOMEM;
	added = memphis_append(queue->list, queue->count, queue->room);
	if (!added)
		return -ENOMEM;
	*added = (struct memphis_perfdata_waiting){record->time_ns, record->event,
						   (uint32_t)queue->byte_count, record->cpu};
	memcpy(queue->bytes + queue->byte_count, record->header, record->header->size);
	queue->byte_count += bytes;
	if (record->time_ns > queue->latest_ns)
		queue->latest_ns = record->time_ns;
	if (queue->byte_count <= WAITING_BYTES_MAX)
		return 0;
	if (sort(queue))
		return -ENOMEM;
	queue->ready = queue->count / 2 + 1;
	return 0;
}

int memphis_perfdata_queue_round(struct memphis_perfdata_queue *queue)
{
	const uint64_t time_ns = queue->round_ns;

	queue->round_ns = queue->latest_ns;
	return make_ready(queue, time_ns);
}

int memphis_perfdata_queue_end(struct memphis_perfdata_queue *queue)
{
	return make_ready(queue, UINT64_MAX);
}

int memphis_perfdata_queue_take(struct memphis_perfdata_queue *queue, struct memphis_perfdata_record *record)
{
	const struct memphis_perfdata_waiting *taken;

	if (queue->next == queue->ready)
		return compact(queue);
	taken = &queue->list[queue->next++];
	record->header = (const struct perf_event_header *)(queue->bytes + taken->offset);
	record->event = taken->event;
	record->time_ns = taken->time_ns;
	record->cpu = taken->cpu;
	return 1;
}

void memphis_perfdata_queue_close(struct memphis_perfdata_queue *queue)
{
	free(queue->list);
	free(queue->spare_list);
	free(queue->bytes);
	free(queue->spare);
	memset(queue, 0, sizeof(*queue));
}
