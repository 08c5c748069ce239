// SPDX-License-Identifier: BSD-3-Clause
#include "top/samples.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "read/decode.h"

/* Linux supports fewer nodes. */
#define NODES_MAX 1024

/* Returns the counts of the node, or NULL if the node is unknown; *rc becomes -ENOMEM if memory is exhausted. */
static struct memphis_live_counts *node_of(struct memphis_live_process *process, uint16_t node, int *rc)
{
	const size_t before = process->node_count;

	if (node < before)
		return &process->nodes[node];
	if (node >= NODES_MAX)
		return NULL;
	if (memphis_grow(&process->nodes, &process->node_room, (size_t)node + 1, sizeof(*process->nodes))) {
		*rc = -ENOMEM;
		return NULL;
	}
	process->node_count = (size_t)node + 1;
	memset(process->nodes + before, 0, (process->node_count - before) * sizeof(*process->nodes));
	return &process->nodes[node];
}

static void add(struct memphis_live_sums *sums, const struct memphis_live_sums *more)
{
	sums->dram += more->dram;
	sums->remote += more->remote;
	sums->moved += more->moved;
	sums->moved_away += more->moved_away;
	sums->served += more->served;
	sums->served_away += more->served_away;
}

static void add_both(struct memphis_live_counts *counts, const struct memphis_live_sums *more)
{
	add(&counts->now, more);
	add(&counts->all, more);
}

/* xorshift64*: the choice has to be neither secret nor different in each run. */
static uint64_t next_random(struct memphis_live *live)
{
	uint64_t x = live->random ? live->random : 0x9e3779b97f4a7c15ULL;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	live->random = x;
	return (x * 0x2545f4914f6cdd1dULL) >> 32;
}

static int remember(struct memphis_live *live, struct memphis_live_process *process,
		    const struct memphis_sample *sample)
{
	size_t at = process->load_count;

	if (!process->loads)
		process->loads = calloc(MEMPHIS_LIVE_LOADS, sizeof(*process->loads));
	if (!process->loads)
		return -ENOMEM;
	if (at == MEMPHIS_LIVE_LOADS)
		at = (size_t)(next_random(live) % MEMPHIS_LIVE_LOADS);
	else
		process->load_count++;
	process->loads[at] = (struct memphis_live_load){sample->address, sample->time_ns};
	process->new_loads++;
	return 0;
}

static int count(struct memphis_live *live, struct memphis_live_process *process,
		 const struct memphis_sample *sample)
{
	const struct memphis_access access = memphis_access_of(sample);
	const bool remote = access.flags & MEMPHIS_FLAG_REMOTE,
		   from_memory = access.source == MEMPHIS_SOURCE_DRAM,
		   served = from_memory || access.source == MEMPHIS_SOURCE_EXTENSION,
		   moved = memphis_moves_line(&access);
	const struct memphis_live_sums by = {.dram = from_memory,
					     .remote = from_memory && remote,
					     .moved = moved,
					     .moved_away = moved && remote},
				       from = {.served = served, .served_away = served && remote};
	struct memphis_live_counts *node;
	int rc = 0;

	if (!moved)
		return 0;
	add_both(&process->sum, &by);
	node = node_of(process, access.node, &rc);
	if (node)
		add_both(node, &by);
	node = node_of(process, access.home, &rc);
	if (node)
		add_both(node, &from);
	if (!rc && from_memory && remote)
		rc = remember(live, process, sample);
	return rc;
}

int memphis_samples_count(struct memphis_live *live, struct memphis_live_process *process,
			  const struct memphis_chunk_view *chunk)
{
	struct memphis_decoder decoder;
	int rc;

	memphis_decoder_start(&decoder, chunk->payload, chunk->bytes, chunk->count);
	while ((rc = memphis_decoder_next(&decoder)) > 0) {
		if (memphis_own_has(&process->own, decoder.sample.pc, decoder.sample.address))
			continue;
		rc = count(live, process, &decoder.sample);
		if (rc)
			return rc;
	}
	/* The checksum was right: another look would not find anything else, and would count again. */
	return 0;
}
