// SPDX-License-Identifier: BSD-3-Clause
/* Merges the events of a process and of its ancestors in chronological order: a k-way merge with a binary heap. */
#include "attribute/history.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint64_t time_at(const struct memphis_event_source *source, size_t i)
{
	switch (source->kind) {
	case MEMPHIS_EVENT_ALLOCATION:
		return source->allocations[i].time_ns;
	case MEMPHIS_EVENT_NAMING:
		return source->process->namings[i].time_ns;
	case MEMPHIS_EVENT_HOLDER:
		break;
	}
	return source->process->holders[i].time_ns;
}

static void look_ahead(struct memphis_event_source *source)
{
	const struct memphis_allocation *event;

	if (source->next == source->end)
		return;
	source->time_ns = time_at(source, source->next);
	source->rank = 1 + source->kind;
	if (source->kind != MEMPHIS_EVENT_ALLOCATION)
		return;
	event = &source->allocations[source->next];
	if (event->kind == MEMPHIS_ALLOCATION_FREE || event->kind == MEMPHIS_ALLOCATION_UNMAP ||
	    event->kind == MEMPHIS_ALLOCATION_PART_FREE || event->kind == MEMPHIS_ALLOCATION_POOL_RESET)
		source->rank = 0;
}

static bool earlier(const struct memphis_event_source *a, const struct memphis_event_source *b)
{
	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns;
	if (a->rank != b->rank)
		return a->rank < b->rank;
	return a->number < b->number;
}

static void sift_down(struct memphis_event_source *heap, size_t count, size_t at)
{
	struct memphis_event_source moved = heap[at];
	size_t child;

	for (; (child = 2 * at + 1) < count; at = child) {
		if (child + 1 < count && earlier(&heap[child + 1], &heap[child]))
			child++;
		if (!earlier(&heap[child], &moved))
			break;
		heap[at] = heap[child];
	}
	heap[at] = moved;
}

/* Returns the index of the first event at or after the time, or `count` if there is none. */
static size_t first_since(const struct memphis_event_source *source, size_t count, uint64_t time_ns)
{
	size_t low = 0, high = count, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (time_at(source, middle) < time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Adds a source with those of its `count` events that lie in the interval [from_ns, to_ns). */
static int add(struct memphis_history *history, struct memphis_event_source source, size_t count,
	       uint64_t from_ns, uint64_t to_ns)
{
	struct memphis_event_source *added;

	source.next = from_ns ? first_since(&source, count, from_ns) : 0;
	source.end = to_ns == UINT64_MAX ? count : first_since(&source, count, to_ns);
	if (source.next >= source.end)
		return 0;
	added = memphis_append(history->heap, history->count, history->room);
	if (!added)
		return -ENOMEM;
	*added = source;
	added->number = history->sources++;
	look_ahead(added);
	return 0;
}

static int add_process(struct memphis_history *history, const struct memphis_process *process,
		       uint64_t from_ns, uint64_t to_ns)
{
	struct memphis_event_source source = {.process = process};
	const struct memphis_thread_log *log;
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < process->thread_count; i++) {
		log = process->threads[i].log;
		source.allocations = log->allocations;
		source.thread = (uint32_t)i;
		rc = add(history, source, log->allocation_count, from_ns, to_ns);
	}
	source.kind = MEMPHIS_EVENT_NAMING;
	if (!rc)
		rc = add(history, source, process->naming_count, from_ns, to_ns);
	source.kind = MEMPHIS_EVENT_HOLDER;
	return rc ? rc : add(history, source, process->holder_count, from_ns, to_ns);
}

int memphis_history_open(struct memphis_history *history, const struct memphis_process *process)
{
	const struct memphis_process *one;
	uint64_t to_ns = UINT64_MAX;
	size_t i;
	int rc;

	memset(history, 0, sizeof(*history));
	rc = add_process(history, process, 0, to_ns);
	for (one = process; !rc && one->parent; one = one->parent) {
		if (one->forked_ns < to_ns)
			to_ns = one->forked_ns;
		if (process->inherits_ns >= to_ns)
			break;
		rc = add_process(history, one->parent, process->inherits_ns, to_ns);
	}
	for (i = history->count; !rc && i-- > 0;)
		sift_down(history->heap, history->count, i);
	return rc;
}

void memphis_history_pass(struct memphis_history *history)
{
	struct memphis_event_source *heap = history->heap;

	heap->next++;
	look_ahead(heap);
	if (heap->next == heap->end)
		heap[0] = heap[--history->count];
	if (history->count)
		sift_down(heap, history->count, 0);
}

void memphis_history_close(struct memphis_history *history)
{
	free(history->heap);
	memset(history, 0, sizeof(*history));
}
