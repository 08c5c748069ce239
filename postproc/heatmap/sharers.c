// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds which threads share memory. Looks at the samples of each page, or of each larger unit of memory if there are
 * few samples.
 */
#include "heatmap/second_pass.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "attribute/blocks.h"
#include "base/order.h"
#include "profile/profile.h"

#define READ_SAMPLES 500000 /* approximate number of samples per process */
#define PAGE_SHIFT   12
#define SHIFT_MAX    21 /* maximum size of a unit: 2 MiB */
/* minimum average number of samples in a unit; units are enlarged until they have so many */
#define SAMPLES_A_UNIT 8
#define NODES_MAX      1024 /* limit of the kernel (MAX_NUMNODES) */

/*
 * A sample and the number of its unit. A unit ends where its heap block ends, because the next block may belong to
 * another thread.
 */
struct part {
	uint64_t block_end, unit;
	const struct memphis_heatmap_record *record;
};

struct pairs {
	struct memphis_second_pass *pass;
	/*
	 * Each key is a process, thread, partner thread, home node and variable. The number of a key, minus 1, is its
	 * index in profile->sharing.
	 */
	struct memphis_strings keys;
	/* For each element of profile->sharing: the number of the last unit that is included in its `bytes`. */
	uint64_t *last;
	size_t last_count, last_room;
	uint64_t units, unit_bytes; /* number of units so far; size of a unit of the current process */
	uint16_t *nodes;            /* the node from which each thread has most of its samples */
	uint64_t *counts;           /* the number of samples of each thread in the current unit */
};

static int compare_parts(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	return memphis_order(x->block_end, y->block_end) ?:
	       memphis_order(x->unit, y->unit) ?:
	       memphis_order(x->record->since_ns, y->record->since_ns) ?:
	       memphis_order(x->record->thread, y->record->thread);
}

static bool is_same_unit(const struct part *a, const struct part *b)
{
	return a->block_end == b->block_end && a->unit == b->unit;
}

static bool is_load_from_dram(const struct memphis_heatmap_record *record)
{
	return record->flags & MEMPHIS_FLAG_LOAD && record->source == MEMPHIS_SOURCE_DRAM &&
	       record->node != MEMPHIS_NODE_UNKNOWN && record->home != MEMPHIS_NODE_UNKNOWN;
}

/*
 * Returns the pair of threads to which a sample belongs. Adds the size of the unit to the bytes of the pair, once per
 * unit. Returns NULL if memory is exhausted.
 */
static struct memphis_sharing *find_or_add_pair(struct pairs *pairs,
						const struct memphis_heatmap_record *record, uint32_t with,
						uint16_t home)
{
	struct memphis_profile *profile = pairs->pass->join->profile;
	const struct {
		uint32_t process, thread, with, home, variable;
	} key = {(uint32_t)pairs->pass->process, record->thread, with, home,
		 pairs->pass->numbers->variables[record->owner]};
	struct memphis_sharing *pair;
	uint32_t number;

	number = memphis_strings_add(&pairs->keys, &key, sizeof(key));
	if (number == MEMPHIS_NO_STRING)
		return NULL;
	if (number > profile->sharing_count) {
		pair = memphis_append(profile->sharing, profile->sharing_count, profile->sharing_room);
		if (!pair || !memphis_append(pairs->last, pairs->last_count, pairs->last_room))
			return NULL;
		*pair = (struct memphis_sharing){.process = key.process,
						 .thread = key.thread,
						 .with = with,
						 .home = home,
						 .variable = key.variable};
	}
	pair = &profile->sharing[number - 1];
	if (pairs->last[number - 1] != pairs->units)
		pair->bytes += pairs->unit_bytes;
	pairs->last[number - 1] = pairs->units;
	return pair;
}

/* Sets *home to the home node that most loads from DRAM in this unit have. Returns false if there is none. */
static bool find_unit_home(const struct part *parts, size_t count, uint16_t *home)
{
	/*
	 * Majority vote (Boyer and Moore, 1981). The result is exact if more than half of the loads agree, and the
	 * pages of a unit nearly always do.
	 */
	size_t lead = 0, i;

	for (i = 0; i < count; i++) {
		if (!is_load_from_dram(parts[i].record))
			continue;
		if (!lead)
			*home = parts[i].record->home;
		lead += parts[i].record->home == *home ? 1 : -1;
	}
	return lead > 0;
}

/* Returns the thread that allocated the block at the sample's address, or MEMPHIS_NONE if it is unknown. */
static uint32_t find_allocating_thread(const struct pairs *pairs, const struct memphis_heatmap_record *record)
{
	const struct memphis_joined_process *joined = &pairs->pass->join->list[pairs->pass->process];
	const uint64_t since_ns = joined->process->parent ? joined->process->forked_ns : 0;
	struct memphis_block_answer answer;
	int table;

	for (table = MEMPHIS_BLOCKS_HEAP; table <= MEMPHIS_BLOCKS_MAP; table++) {
		memphis_blocks_find(&joined->blocks, (enum memphis_block_table)table, record->address,
				    joined->start_ns + record->since_ns, &answer);
		/* If the block is older than the fork() of this process, a thread of the parent process allocated it. */
		if (answer.block && answer.thread && answer.from_ns >= since_ns)
			return answer.thread - 1;
	}
	return MEMPHIS_NONE;
}

/*
 * Returns the thread that placed the unit on node `home`. Linux places a page on the node of the thread that first
 * touches it, so this is the first thread of this node with a sample in the unit. If no thread of this node has
 * samples, returns the thread that allocated the block, provided that it runs on this node. Samples often miss the
 * first access, because most programs initialise memory outside calipers.
 */
static uint32_t find_placing_thread(const struct pairs *pairs, const struct part *parts, size_t count,
				    uint16_t home)
{
	uint32_t thread;
	size_t i;

	for (i = 0; i < count; i++)
		if (pairs->nodes[parts[i].record->thread] == home)
			return parts[i].record->thread;
	thread = find_allocating_thread(pairs, parts[0].record);
	return thread != MEMPHIS_NONE && pairs->nodes[thread] == home ? thread : MEMPHIS_NONE;
}

/* Returns the thread, other than `thread`, that has most samples in the unit. */
static uint32_t find_main_partner(const struct pairs *pairs, const struct part *parts, size_t count,
				  uint32_t thread)
{
	uint32_t partner = MEMPHIS_NONE, other;
	size_t i;

	for (i = 0; i < count; i++) {
		other = parts[i].record->thread;
		if (other != thread &&
		    (partner == MEMPHIS_NONE || pairs->counts[other] > pairs->counts[partner] ||
		     (pairs->counts[other] == pairs->counts[partner] && other < partner)))
			partner = other;
	}
	return partner;
}

static int add_unit(struct pairs *pairs, const struct part *parts, size_t count)
{
	const struct memphis_heatmap_record *record;
	struct memphis_sharing *pair;
	uint32_t owner = MEMPHIS_NONE, partner;
	uint16_t home = MEMPHIS_NODE_UNKNOWN;
	const bool homed = find_unit_home(parts, count, &home);
	size_t i;

	pairs->units++;
	if (homed)
		owner = find_placing_thread(pairs, parts, count, home);
	for (i = 0; i < count; i++)
		pairs->counts[parts[i].record->thread]++;
	for (i = 0; i < count; i++) {
		record = parts[i].record;
		if (homed && is_load_from_dram(record)) {
			pair = find_or_add_pair(pairs, record, owner, record->home);
			if (!pair)
				return -ENOMEM;
			pair->loads++;
			pair->remote += record->node != record->home;
		}
		if (!(record->flags & MEMPHIS_FLAG_HITM))
			continue;
		partner = find_main_partner(pairs, parts, count, record->thread);
		pair = partner == MEMPHIS_NONE ? NULL : find_or_add_pair(pairs, record, partner, home);
		if (partner != MEMPHIS_NONE && !pair)
			return -ENOMEM;
		if (pair)
			pair->modified++;
	}
	for (i = 0; i < count; i++)
		pairs->counts[parts[i].record->thread] = 0;
	return 0;
}

/*
 * Returns whether MPI made the access to transfer a message through memory shared with other processes. The partners
 * are then those processes, not other threads of this process (place/proposal.h).
 */
static bool is_mpi_message(const struct memphis_second_pass *pass,
			   const struct memphis_heatmap_record *record)
{
	const struct memphis_profile *profile = pass->join->profile;

	return memphis_region_is_mpi(profile, record->region) &&
	       memphis_profile_is_shared(profile, pass->numbers->variables[record->owner]);
}

/*
 * Fills `parts` with the samples of the process, without MPI messages, and sorts them by unit and time. Sets *count to
 * their number. Returns the number of units.
 */
static size_t sort_units(struct part *parts, size_t *count, const struct memphis_second_pass *pass,
			 unsigned int shift)
{
	size_t units = 0, i;

	*count = 0;
	for (i = 0; i < pass->count; i++)
		if (!is_mpi_message(pass, pass->samples[i]))
			parts[(*count)++] =
				(struct part){pass->samples[i]->block_end, pass->samples[i]->address >> shift,
					      pass->samples[i]};
	memphis_sort(parts, *count, compare_parts);
	for (i = 0; i < *count; i++)
		units += !i || !is_same_unit(&parts[i], &parts[i - 1]);
	return units;
}

/* Sets pairs->nodes to the node on which each thread has most of its samples. */
static int set_thread_nodes(struct pairs *pairs, size_t threads)
{
	const struct memphis_second_pass *pass = pairs->pass;
	uint32_t(*counts)[NODES_MAX] = calloc(threads + 1, sizeof(*counts));
	const struct memphis_heatmap_record *record;
	size_t i, node;

	if (!counts)
		return -ENOMEM;
	for (i = 0; i < pass->count; i++) {
		record = pass->samples[i];
		if (record->node < NODES_MAX)
			counts[record->thread][record->node]++;
	}
	for (i = 0; i < threads; i++) {
		pairs->nodes[i] = MEMPHIS_NODE_UNKNOWN;
		for (node = 0; node < NODES_MAX; node++)
			if (counts[i][node] && (pairs->nodes[i] == MEMPHIS_NODE_UNKNOWN ||
						counts[i][node] > counts[i][pairs->nodes[i]]))
				pairs->nodes[i] = (uint16_t)node;
	}
	free(counts);
	return 0;
}

static int add_process(struct pairs *pairs)
{
	const struct memphis_second_pass *pass = pairs->pass;
	const size_t threads = pass->join->list[pass->process].process->thread_count;
	struct part *parts = calloc(pass->count + 1, sizeof(*parts));
	unsigned int shift = PAGE_SHIFT;
	size_t count = 0, first, end;
	int rc = -ENOMEM;

	pairs->nodes = calloc(threads + 1, sizeof(*pairs->nodes));
	pairs->counts = calloc(threads + 1, sizeof(*pairs->counts));
	if (parts && pairs->nodes && pairs->counts)
		rc = set_thread_nodes(pairs, threads);
	while (!rc && sort_units(parts, &count, pass, shift) > count / SAMPLES_A_UNIT && shift < SHIFT_MAX)
		shift++;
	pairs->unit_bytes = 1ull << shift;
	for (first = 0; !rc && first < count; first = end) {
		for (end = first; end < count && is_same_unit(&parts[end], &parts[first]); end++)
			;
		rc = add_unit(pairs, parts + first, end - first);
	}
	free(parts);
	free(pairs->nodes);
	free(pairs->counts);
	return rc;
}

static int compare_pairs(const void *a, const void *b)
{
	const struct memphis_sharing *x = a, *y = b;

	return memphis_order(x->process, y->process) ?:
	       memphis_order(x->thread, y->thread) ?:
	       memphis_order(x->with, y->with) ?:
	       memphis_order(x->home, y->home) ?:
	       memphis_order(x->variable, y->variable);
}

int memphis_sharing_make(struct memphis_namer *namer, struct memphis_owner_numbers *numbers,
			 struct memphis_error *error)
{
	struct memphis_profile *profile = namer->join->profile;
	struct memphis_second_pass pass;
	struct pairs pairs = {.pass = &pass};
	size_t i;
	int rc = memphis_second_pass_open(&pass, namer, numbers);

	if (rc)
		memphis_fail(error, rc, "out of memory");
	for (i = 0; !rc && i < profile->processes.count; i++) {
		if (!memphis_selection_has(namer->join->selection, &profile->processes.list[i]))
			continue;
		rc = memphis_second_pass_read(&pass, i, READ_SAMPLES, error);
		if (!rc && add_process(&pairs))
			rc = memphis_fail(error, -ENOMEM, "out of memory");
	}
	memphis_strings_close(&pairs.keys);
	free(pairs.last);
	memphis_second_pass_close(&pass);
	memphis_sort(profile->sharing, profile->sharing_count, compare_pairs);
	return rc;
}
