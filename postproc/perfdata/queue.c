// SPDX-License-Identifier: BSD-3-Clause
/* Puts the records of a perf.data file into the order of their times. */
#include "perfdata/queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Maximum size of the waiting records. A file without rounds may exceed it. Then the older half of the records is delivered. */
#define WAITING_BYTES_MAX (256u << 20)

/* How many records ahead of the one that is delivered are requested from memory. */
#define FETCHED_AHEAD 16

#define DIGIT_BITS 11
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
	struct memphis_perfdata_waiting *list = queue->ready;
	const size_t room = queue->ready_room;

	queue->ready = queue->spare;
	queue->ready_room = queue->spare_room;
	queue->spare = list;
	queue->spare_room = room;
}

/*
 * Sorts the records that can be delivered by time. Records of the same time keep their order. Uses radix sort,
 * because the times of a round differ in few digits only. Returns 0 or -ENOMEM.
 */
static int sort(struct memphis_perfdata_queue *queue)
{
	const struct memphis_perfdata_waiting *record = queue->ready, *end = record + queue->ready_count;
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
	if (memphis_grow(&queue->spare, &queue->spare_room, queue->ready_count, sizeof(*record)))
		return -ENOMEM;
	for (shift = 0; shift < 64 && (last - first) >> shift; shift += DIGIT_BITS) {
		sort_by_digit(queue->ready, queue->spare, queue->ready_count, first, shift);
		swap_lists(queue);
	}
	return 0;
}

/* Makes the waiting records with a time up to time_ns ready to be delivered. Returns 0 or -ENOMEM. */
static int make_ready(struct memphis_perfdata_queue *queue, uint64_t time_ns)
{
	struct memphis_perfdata_waiting *list = queue->list;
	size_t kept = 0, i;

	if (memphis_grow(&queue->ready, &queue->ready_room, queue->count, sizeof(*list)))
		return -ENOMEM;
	for (i = 0; i < queue->count; i++)
		if (list[i].time_ns <= time_ns) {
			queue->ready[queue->ready_count++] = list[i];
		} else {
			queue->scattered |= list[i].round != queue->present;
			list[kept++] = list[i];
		}
	queue->count = kept;
	return sort(queue);
}

/* Makes the older half of the waiting records ready. Returns 0 or -ENOMEM. */
static int make_half_ready(struct memphis_perfdata_queue *queue)
{
	int rc = make_ready(queue, UINT64_MAX);

	if (rc)
		return rc;
	queue->count = queue->ready_count - (queue->ready_count / 2 + 1);
	queue->ready_count -= queue->count;
	memcpy(queue->list, queue->ready + queue->ready_count, queue->count * sizeof(*queue->list));
	queue->scattered = true;
	return 0;
}

static const uint8_t *bytes_of(const struct memphis_perfdata_queue *queue,
			       const struct memphis_perfdata_waiting *record)
{
	return queue->rounds[record->round].bytes + record->offset;
}

/* Copies the waiting records into the present round. Returns 0 or -ENOMEM. */
static int gather(struct memphis_perfdata_queue *queue)
{
	struct memphis_perfdata_round gathered = {0};
	struct memphis_perfdata_waiting *record = queue->list, *end = record + queue->count;
	const uint8_t *from;
	size_t size;

	for (; record < end; record++) {
		from = bytes_of(queue, record);
		size = ((const struct perf_event_header *)from)->size;
		if (memphis_grow(&gathered.bytes, &gathered.room, gathered.used + size + 7, 1)) {
			free(gathered.bytes);
			return -ENOMEM;
		}
		memcpy(gathered.bytes + gathered.used, from, size);
		record->offset = (uint32_t)gathered.used & INT32_MAX;
		record->round = queue->present & 1;
		gathered.used += (size + 7) & ~(size_t)7;
	}
	free(queue->rounds[queue->present].bytes);
	queue->rounds[queue->present] = gathered;
	return 0;
}

/* Begins a round, after all records that were ready have been delivered. Returns 0 or -ENOMEM. */
static int begin_round(struct memphis_perfdata_queue *queue)
{
	if (queue->scattered && gather(queue))
		return -ENOMEM;
	queue->scattered = false;
	queue->ready_count = queue->next = 0;
	queue->present = !queue->present;
	queue->rounds[queue->present].used = 0;
	return 0;
}

int memphis_perfdata_queue_add(struct memphis_perfdata_queue *queue,
			       const struct memphis_perfdata_record *record)
{
	struct memphis_perfdata_round *round = &queue->rounds[queue->present];
	const size_t bytes = (record->header->size + 7u) & ~7u;
	struct memphis_perfdata_waiting *added;

	if (memphis_grow(&round->bytes, &round->room, round->used + bytes, 1) ||
	    memphis_grow(&queue->list, &queue->room, queue->count + 1, sizeof(*queue->list)))
		return -ENOMEM;
	added = &queue->list[queue->count++];
	added->time_ns = record->time_ns;
	added->event = record->event;
	added->offset = (uint32_t)round->used & INT32_MAX;
	added->round = queue->present & 1;
	added->cpu = record->cpu;
	memcpy(round->bytes + round->used, record->header, record->header->size);
	round->used += bytes;
	if (record->time_ns > queue->latest_ns)
		queue->latest_ns = record->time_ns;
	return queue->rounds[0].used + queue->rounds[1].used > WAITING_BYTES_MAX ? make_half_ready(queue) : 0;
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
	const uint8_t *ahead;

	if (queue->next == queue->ready_count)
		return queue->ready_count ? begin_round(queue) : 0;
	taken = &queue->ready[queue->next++];
	/* Successive records are of different CPUs, so they are not next to each other. */
	if (queue->ready_count - queue->next > FETCHED_AHEAD) {
		ahead = bytes_of(queue, taken + FETCHED_AHEAD);
		__builtin_prefetch(ahead);
		__builtin_prefetch(ahead + 64);
	}
	record->header = (const struct perf_event_header *)bytes_of(queue, taken);
	record->event = taken->event;
	record->time_ns = taken->time_ns;
	record->cpu = taken->cpu;
	return 1;
}

void memphis_perfdata_queue_close(struct memphis_perfdata_queue *queue)
{
	free(queue->list);
	free(queue->ready);
	free(queue->spare);
	free(queue->rounds[0].bytes);
	free(queue->rounds[1].bytes);
	memset(queue, 0, sizeof(*queue));
}
