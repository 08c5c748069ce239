// SPDX-License-Identifier: BSD-3-Clause
#include "place/messages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/regions.h"
#include "read/access.h"

static const struct memphis_thread *thread_of(const struct memphis_profile *profile,
					      const struct memphis_placed_thread *placed)
{
	return &profile->processes.list[placed->process].threads[placed->thread];
}

static uint64_t rank_of(const struct memphis_profile *profile, const struct memphis_placed_thread *placed)
{
	return memphis_setting_number(&profile->processes.list[placed->process].settings, "mpi_rank",
				      UINT64_MAX);
}

static uint64_t received_by(const struct memphis_thread *thread)
{
	uint64_t bytes = 0;
	size_t i;

	for (i = 0; i < thread->mpi_count; i++)
		bytes += thread->mpi[i].received ? thread->mpi[i].received_bytes : 0;
	return bytes;
}

bool memphis_messages_has(const struct memphis_thread *thread)
{
	size_t i;

	for (i = 0; i < thread->mpi_count; i++)
		if (thread->mpi[i].sent || thread->mpi[i].received)
			return true;
	return false;
}

/* A rank of the host, and the thread that receives its messages. */
struct receiver {
	uint64_t rank;
	uint32_t thread;
};

static int compare_receivers(const void *a, const void *b)
{
	const struct receiver *x = a, *y = b;

	return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Returns the malloc'ed receivers, sorted by rank, or NULL. The threads of a process follow each other. */
static struct receiver *find_receivers(const struct memphis_proposal *proposal,
				       const struct memphis_profile *profile, size_t *count)
{
	struct receiver *receivers = calloc(proposal->thread_count + 1, sizeof(*receivers)), *last;
	const struct memphis_placed_thread *placed = proposal->threads;
	uint32_t i;

	*count = 0;
	if (!receivers)
		return NULL;
	for (i = 0; i < proposal->thread_count; i++) {
		last = *count ? &receivers[*count - 1] : NULL;
		if (!last || placed[last->thread].process != placed[i].process)
			receivers[(*count)++] = (struct receiver){rank_of(profile, &placed[i]), i};
		else if (received_by(thread_of(profile, &placed[i])) >
			 received_by(thread_of(profile, &placed[last->thread])))
			last->thread = i;
	}
	qsort(receivers, *count, sizeof(*receivers), compare_receivers);
	return receivers;
}

/* Adds what the thread has sent to each rank of the host. */
static int collect_thread(struct memphis_messages *messages, const struct memphis_thread *thread,
			  uint32_t from, const struct receiver *receivers, size_t count)
{
	struct memphis_messages_between *between;
	const struct receiver *to;
	struct receiver key;
	size_t i;

	for (i = 0; i < thread->mpi_count; i++) {
		if (!thread->mpi[i].sent || thread->mpi[i].partner < 0 ||
		    thread->mpi[i].partner >= MEMPHIS_MPI_FILE)
			continue;
		key.rank = (uint64_t)thread->mpi[i].partner;
		to = bsearch(&key, receivers, count, sizeof(*receivers), compare_receivers);
		if (!to || to->thread == from)
			continue;
		between = memphis_append(messages->list, messages->count, messages->room);
		if (!between)
			return -ENOMEM;
		*between = (struct memphis_messages_between){from, to->thread, thread->mpi[i].sent_bytes,
							     thread->mpi[i].sent};
	}
	return 0;
}

/* Returns whether the cell has loads from DRAM of known nodes in memory that MPI shares between ranks. */
static bool is_load_of_mpi(const struct memphis_profile *profile, const struct memphis_cell *cell)
{
	const struct memphis_access *access = &cell->key.access;

	return access->flags & MEMPHIS_FLAG_LOAD && access->source == MEMPHIS_SOURCE_DRAM &&
	       access->node != MEMPHIS_NODE_UNKNOWN && access->home != MEMPHIS_NODE_UNKNOWN &&
	       memphis_region_is_mpi(profile, cell->key.region) &&
	       memphis_profile_is_shared(profile, cell->key.variable);
}

/* Adds the loads of all threads of a rank to its receiver. */
static void collect_loads(struct memphis_messages *messages, const struct memphis_proposal *proposal,
			  const struct memphis_profile *profile, const struct receiver *receivers,
			  size_t count)
{
	const struct memphis_process *process;
	const struct memphis_cell *cell;
	struct memphis_message_loads *loads;
	size_t i;

	for (cell = profile->cells; cell < profile->cells + profile->cell_count; cell++) {
		if (!is_load_of_mpi(profile, cell))
			continue;
		memphis_profile_thread_of(profile, cell->key.thread, &process);
		for (i = 0; i < count; i++) {
			if (&profile->processes.list[proposal->threads[receivers[i].thread].process] !=
			    process)
				continue;
			loads = &messages->loads[receivers[i].thread];
			loads->loads += cell->measure.count;
			loads->remote +=
				cell->key.access.node == cell->key.access.home ? 0 : cell->measure.count;
		}
	}
}

int memphis_messages_collect(struct memphis_messages *messages, const struct memphis_proposal *proposal,
			     const struct memphis_profile *profile)
{
	struct receiver *receivers;
	size_t count;
	uint32_t i;
	int rc = 0;

	memset(messages, 0, sizeof(*messages));
	messages->loads = calloc(proposal->thread_count + 1, sizeof(*messages->loads));
	receivers = find_receivers(proposal, profile, &count);
	if (!receivers || !messages->loads) {
		free(receivers);
		return -ENOMEM;
	}
	for (i = 0; !rc && i < proposal->thread_count; i++)
		rc = collect_thread(messages, thread_of(profile, &proposal->threads[i]), i, receivers, count);
	if (!rc && messages->count)
		collect_loads(messages, proposal, profile, receivers, count);
	free(receivers);
	return rc;
}

void memphis_messages_close(struct memphis_messages *messages)
{
	free(messages->list);
	free(messages->loads);
	memset(messages, 0, sizeof(*messages));
}

void memphis_messages_add(const struct memphis_messages *messages, struct memphis_graph *graph,
			  uint64_t period)
{
	const struct memphis_messages_between *between;
	uint64_t weight;

	for (between = messages->list; between < messages->list + messages->count; between++) {
		weight = between->bytes / MEMPHIS_LINE_BYTES / (period ? period : 1) + 1;
		graph->edges[between->from * graph->vertices + between->to] += weight;
		graph->edges[between->to * graph->vertices + between->from] += weight;
	}
}

uint64_t memphis_messages_bytes(const struct memphis_messages *messages, uint64_t *count)
{
	const struct memphis_messages_between *between;
	uint64_t bytes = 0;

	*count = 0;
	for (between = messages->list; between < messages->list + messages->count; between++) {
		bytes += between->bytes;
		*count += between->count;
	}
	return bytes;
}

static double ratio(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

struct memphis_share memphis_messages_away(const struct memphis_messages *messages, const uint32_t *part,
					   uint32_t to)
{
	const struct memphis_messages_between *between;
	uint64_t bytes = 0, count = 0, bytes_away = 0, count_away = 0;
	double by_bytes, by_count;

	for (between = messages->list; between < messages->list + messages->count; between++) {
		if (to != MEMPHIS_NONE && between->to != to)
			continue;
		bytes += between->bytes;
		count += between->count;
		if (part[between->from] == part[between->to])
			continue;
		bytes_away += between->bytes;
		count_away += between->count;
	}
	by_count = ratio(count_away, count);
	by_bytes = bytes ? ratio(bytes_away, bytes) : by_count;
	return (struct memphis_share){by_bytes, by_bytes < by_count ? by_bytes : by_count,
				      by_bytes < by_count ? by_count : by_bytes};
}

static double at_most(double number, uint64_t limit)
{
	return number < (double)limit ? number : (double)limit;
}

struct memphis_share memphis_messages_remote_loads(const struct memphis_messages *messages, size_t threads,
						   const uint32_t *before, const uint32_t *part)
{
	const struct memphis_message_loads *at;
	struct memphis_share sum = {0}, was, then;
	uint32_t i;

	for (i = 0; i < threads; i++) {
		at = &messages->loads[i];
		if (!at->loads)
			continue;
		was = memphis_messages_away(messages, before, i);
		then = memphis_messages_away(messages, part, i);
		if (was.low > 0) {
			sum.share += at_most((double)at->remote / was.share * then.share, at->loads);
			sum.low += at_most((double)at->remote / was.high * then.low, at->loads);
			sum.high += at_most((double)at->remote / was.low * then.high, at->loads);
		} else {
			/* All came from the own node, and so did their loads, whoever's memory it was. */
			sum.share += (double)at->loads * then.share;
			sum.high += (double)at->loads * then.high;
		}
	}
	return sum;
}
