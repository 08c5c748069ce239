// SPDX-License-Identifier: BSD-3-Clause
/* Sums the samples of a heatmap by part of the variable and node, and by thread. */
#include "evidence/placement.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "evidence/home_change.h"
#include "evidence/ping_pong.h"
#include "profile/profile.h"

/*
 * Pages count as moved if at least this share of the first quarter of the samples has one home node, and this share of
 * the last quarter has another one.
 */
#define MOVED_AGREE 0.9
/*
 * A thread stayed on its first node if it made at least this share of its samples there. Otherwise it only passed
 * through the node.
 */
#define STAYED 0.1

/* average number of samples per part that is needed to detect pages that move back and forth */
#define MOVES_SAMPLES 96

#define NODES_MAX 1024 /* the limit of Linux; only a damaged file contains more nodes */

/*
 * Tables that count samples by part and node: by home node, loads by accessing node, and by home node in the first and
 * in the last quarter of the samples.
 */
enum table { HOMES, USERS, EARLY_HOMES, LATE_HOMES, TABLES };

struct sums {
	struct memphis_placement *placement;
	const struct memphis_heatmap *heatmap;
	unsigned int shift; /* part = bin >> shift */
	size_t nodes;
	uint64_t *tables[TABLES];
	uint64_t *seen;        /* by part: number of samples in the spots before the current one */
	uint32_t *joined_tick; /* by part: time step when a second node first accessed it */
};

int memphis_placement_node(const struct memphis_placement *placement, uint16_t node)
{
	size_t i;

	for (i = 0; i < placement->node_count; i++)
		if (placement->nodes[i] == node)
			return (int)i;
	return MEMPHIS_SEVERAL;
}

static void add_node(struct memphis_placement *placement, uint16_t node)
{
	size_t at = placement->node_count;

	if (node == MEMPHIS_NODE_UNKNOWN || at == NODES_MAX ||
	    memphis_placement_node(placement, node) != MEMPHIS_SEVERAL)
		return;
	for (; at && placement->nodes[at - 1] > node; at--)
		placement->nodes[at] = placement->nodes[at - 1];
	placement->nodes[at] = node;
	placement->node_count++;
}

static bool has_known_nodes(const struct memphis_placement *placement,
			    const struct memphis_heatmap_spot *spot)
{
	return memphis_placement_node(placement, spot->node) != MEMPHIS_SEVERAL &&
	       memphis_placement_node(placement, spot->home) != MEMPHIS_SEVERAL;
}

/* Lists all accessing and home nodes, in ascending order. Ignores spots of which either node is unknown. */
static int list_nodes(struct memphis_placement *placement)
{
	const struct memphis_heatmap *heatmap = placement->heatmap;
	size_t i;

	placement->nodes = malloc((2 * heatmap->spot_count + 1) * sizeof(*placement->nodes));
	if (!placement->nodes)
		return -ENOMEM;
	for (i = 0; i < heatmap->spot_count; i++) {
		if (heatmap->spots[i].node == MEMPHIS_NODE_UNKNOWN ||
		    heatmap->spots[i].home == MEMPHIS_NODE_UNKNOWN)
			continue;
		add_node(placement, heatmap->spots[i].node);
		add_node(placement, heatmap->spots[i].home);
	}
	return 0;
}

static size_t bin_count(const struct memphis_heatmap *heatmap)
{
	return (size_t)((heatmap->high >> heatmap->bin_shift) - (heatmap->low >> heatmap->bin_shift)) + 1;
}

/*
 * Divides the variable into parts. A part is one bin. If single bins have too few samples, a part is a power of two of
 * adjacent bins.
 */
static int make_parts(struct sums *sums)
{
	struct memphis_placement *placement = sums->placement;
	const struct memphis_heatmap *heatmap = sums->heatmap;
	size_t bins = bin_count(heatmap), i;
	struct memphis_part *part;
	uint64_t first;

	while (((bins - 1) >> sums->shift) + 1 > MEMPHIS_PARTS_MIN &&
	       heatmap->samples < (((bins - 1) >> sums->shift) + 1) * MEMPHIS_PART_SAMPLES)
		sums->shift++;
	placement->part_count = ((bins - 1) >> sums->shift) + 1;
	placement->parts = calloc(placement->part_count, sizeof(*placement->parts));
	if (!placement->parts)
		return -ENOMEM;
	for (i = 0; i < placement->part_count; i++) {
		part = &placement->parts[i];
		first = (heatmap->low >> heatmap->bin_shift) + ((uint64_t)i << sums->shift);
		part->low = first << heatmap->bin_shift;
		part->high = part->low + ((uint64_t)1 << (heatmap->bin_shift + sums->shift));
		if (part->low < heatmap->low)
			part->low = heatmap->low;
		if (part->high > heatmap->high)
			part->high = heatmap->high + 1;
		part->moved_from = part->moved_to = MEMPHIS_SEVERAL;
		part->owner = part->user = part->toucher_node = MEMPHIS_SEVERAL;
		part->toucher = part->initialised = MEMPHIS_NONE;
	}
	return 0;
}

static int make_tables(struct sums *sums)
{
	struct memphis_placement *placement = sums->placement;
	size_t nodes = placement->node_count, parts = placement->part_count, i;

	sums->nodes = nodes;
	placement->counts =
		calloc(parts * nodes * TABLES + 3 * nodes + 2 * parts, sizeof(*placement->counts));
	if (!placement->counts)
		return -ENOMEM;
	for (i = 0; i < TABLES; i++)
		sums->tables[i] = placement->counts + i * parts * nodes;
	placement->users_of_parts = sums->tables[USERS];
	placement->users = placement->counts + TABLES * parts * nodes;
	placement->homes = placement->users + nodes;
	placement->remote_by_home = placement->homes + nodes;
	sums->seen = placement->remote_by_home + nodes;
	sums->joined_tick = (uint32_t *)(sums->seen + parts);
	return 0;
}

/* Returns the node that has at least this share of the samples, or MEMPHIS_SEVERAL if there is none. */
static int prevailing_node(const uint64_t *by_node, size_t nodes, double share)
{
	uint64_t sum = 0, most = 0;
	int best = MEMPHIS_SEVERAL;
	size_t i;

	for (i = 0; i < nodes; i++) {
		sum += by_node[i];
		if (by_node[i] > most) {
			most = by_node[i];
			best = (int)i;
		}
	}
	return most && (double)most >= share * (double)sum ? best : MEMPHIS_SEVERAL;
}

/*
 * Finds the time when a second node first accessed each part. Accesses before that time do not count as use, because a
 * node that only initialised the part is not its user.
 */
static void find_second_users(struct sums *sums)
{
	const struct memphis_placement *placement = sums->placement;
	const struct memphis_heatmap *heatmap = sums->heatmap;
	const struct memphis_heatmap_spot *spot;
	size_t parts = sums->placement->part_count, i;
	uint32_t *first = sums->joined_tick + parts;

	memset(sums->joined_tick, 0xff, parts * sizeof(*sums->joined_tick));
	memset(first, 0xff, parts * sizeof(*first));
	for (spot = heatmap->spots; spot < heatmap->spots + heatmap->spot_count; spot++) {
		if (!has_known_nodes(placement, spot))
			continue;
		i = spot->bin >> sums->shift;
		if (first[i] == UINT32_MAX)
			first[i] = spot->node;
		else if (first[i] != spot->node && sums->joined_tick[i] == UINT32_MAX)
			sums->joined_tick[i] = spot->tick;
	}
}

static void add_spot(struct sums *sums, const struct memphis_heatmap_spot *spot)
{
	struct memphis_placement *placement = sums->placement;
	size_t node = (size_t)memphis_placement_node(placement, spot->node);
	size_t home = (size_t)memphis_placement_node(placement, spot->home), at = spot->bin >> sums->shift;
	struct memphis_part *part = &placement->parts[at];
	size_t row = at * sums->nodes;

	sums->tables[HOMES][row + home] += spot->count;
	placement->homes[home] += spot->count;
	placement->homed += spot->count;
	if (sums->joined_tick[at] == UINT32_MAX || spot->tick >= sums->joined_tick[at])
		sums->tables[USERS][row + node] += spot->loads;
	if (sums->joined_tick[at] != UINT32_MAX && spot->tick >= sums->joined_tick[at]) {
		placement->shared += spot->count;
		placement->shared_stores += spot->stores;
	}
	/* Spots are sorted by time, so `seen` is the number of earlier samples. */
	if (4 * sums->seen[at] < part->count)
		sums->tables[EARLY_HOMES][row + home] += spot->count;
	sums->seen[at] += spot->count;
	if (4 * sums->seen[at] > 3 * part->count)
		sums->tables[LATE_HOMES][row + home] += spot->count;
	part->remote += spot->remote;
	placement->remote += spot->remote;
	placement->remote_by_home[home] += spot->remote;
}

/*
 * Finds the parts whose pages moved back and forth. This needs more samples than finding the home of a part, so it
 * uses larger parts. Returns 0 or -ENOMEM.
 */
static int find_ping_pong(const struct sums *sums)
{
	struct memphis_placement *placement = sums->placement;
	size_t parts = placement->part_count, i;
	struct memphis_ping_pong search = {.heatmap = sums->heatmap,
					   .shift = sums->shift,
					   .nodes = placement->nodes,
					   .node_count = placement->node_count};
	uint32_t *moves = calloc(parts + 1, sizeof(*moves));
	struct memphis_part *part;
	int rc;

	while (parts > MEMPHIS_PARTS_MIN && sums->heatmap->samples < parts * MOVES_SAMPLES) {
		parts = (parts + 1) / 2;
		search.shift++;
	}
	rc = moves ? memphis_ping_pong_find(&search, moves, parts) : -ENOMEM;
	for (i = 0; !rc && i < placement->part_count; i++) {
		part = &placement->parts[i];
		part->moves = moves[i >> (search.shift - sums->shift)];
		if (part->moves) {
			part->moved_from = part->moved_to = MEMPHIS_SEVERAL;
			placement->shuttled += part->remote;
		}
	}
	free(moves);
	return rc;
}

/* Tries all times at which the pages of each part may have moved, and keeps the best one. */
static void try_changes(struct sums *sums, struct memphis_home_change *changes)
{
	const struct memphis_heatmap *heatmap = sums->heatmap;
	const struct memphis_heatmap_spot *spot;
	uint64_t *before = sums->tables[EARLY_HOMES], *last_tick = sums->seen;
	size_t at, row;

	memset(before, 0, sums->placement->part_count * sums->nodes * sizeof(*before));
	memset(last_tick, 0xff, sums->placement->part_count * sizeof(*last_tick));
	for (spot = heatmap->spots; spot < heatmap->spots + heatmap->spot_count; spot++) {
		if (!has_known_nodes(sums->placement, spot))
			continue;
		at = spot->bin >> sums->shift;
		row = at * sums->nodes;
		if (last_tick[at] != spot->tick)
			memphis_home_change_try(&changes[at], before + row, sums->tables[HOMES] + row,
						sums->nodes);
		last_tick[at] = spot->tick;
		before[row + (size_t)memphis_placement_node(sums->placement, spot->home)] += spot->count;
	}
}

/* Finds the parts whose pages moved. Returns 0 or -ENOMEM. */
static int find_changes(struct sums *sums)
{
	struct memphis_placement *placement = sums->placement;
	struct memphis_home_change *changes;
	struct memphis_part *part;
	size_t homes = 0, i;

	for (i = 0; i < placement->node_count; i++)
		homes += placement->homes[i] != 0;
	if (homes < 2 || sums->heatmap->renewed)
		return 0;
	if (find_ping_pong(sums))
		return -ENOMEM;
	changes = calloc(placement->part_count, sizeof(*changes));
	if (!changes)
		return -ENOMEM;
	try_changes(sums, changes);
	for (i = 0; i < placement->part_count; i++) {
		part = &placement->parts[i];
		if (part->moves || !memphis_home_change_is_certain(
					   &changes[i], sums->tables[HOMES] + i * sums->nodes, sums->nodes))
			continue;
		part->moved_from = (int)changes[i].from;
		part->moved_to = (int)changes[i].to;
	}
	free(changes);
	return 0;
}

/*
 * Sets the owner of a part (home node) from all its samples, and the user (accessing node) from the samples since a
 * second node joined, or from all if none did. Sets moved_from and moved_to from the home nodes of its early and late
 * samples.
 */
static void judge_part(const struct sums *sums, struct memphis_part *part, size_t row)
{
	int first, last;

	part->owner = prevailing_node(sums->tables[HOMES] + row, sums->nodes, MEMPHIS_PART_AGREE);
	part->user = prevailing_node(sums->tables[USERS] + row, sums->nodes, MEMPHIS_PART_AGREE);
	first = prevailing_node(sums->tables[EARLY_HOMES] + row, sums->nodes, MOVED_AGREE);
	last = prevailing_node(sums->tables[LATE_HOMES] + row, sums->nodes, MOVED_AGREE);
	/* If memory was freed and allocated again at the same address, it may have other pages, although no page moved. */
	if (first != MEMPHIS_SEVERAL && last != MEMPHIS_SEVERAL && first != last && !sums->heatmap->renewed) {
		part->moved_from = first;
		part->moved_to = last;
	}
}

/*
 * Counts two kinds of remote loads of parts that moved: loads that are remote because the part moved away, and loads
 * that were remote until it moved to their node.
 */
static void count_loads_of_moved(const struct sums *sums)
{
	struct memphis_placement *placement = sums->placement;
	const struct memphis_heatmap *heatmap = sums->heatmap;
	const struct memphis_heatmap_spot *spot;
	const struct memphis_part *part;

	for (spot = heatmap->spots; spot < heatmap->spots + heatmap->spot_count; spot++) {
		if (!has_known_nodes(placement, spot) || spot->node == spot->home)
			continue;
		part = &placement->parts[spot->bin >> sums->shift];
		if (part->moved_from == memphis_placement_node(placement, spot->node))
			placement->moved += spot->remote;
		if (part->moved_to == memphis_placement_node(placement, spot->node))
			placement->followed += spot->remote;
	}
}

/* Adds up the spots of each part. Returns 0 or -ENOMEM. */
static int add_spots(struct sums *sums)
{
	struct memphis_placement *placement = sums->placement;
	const struct memphis_heatmap *heatmap = sums->heatmap;
	const struct memphis_heatmap_spot *spot;
	size_t i, node, row;

	for (spot = heatmap->spots; spot < heatmap->spots + heatmap->spot_count; spot++)
		if (has_known_nodes(placement, spot))
			placement->parts[spot->bin >> sums->shift].count += spot->count;
	find_second_users(sums);
	for (spot = heatmap->spots; spot < heatmap->spots + heatmap->spot_count; spot++)
		if (has_known_nodes(placement, spot))
			add_spot(sums, spot);
	for (i = 0; i < placement->part_count; i++) {
		row = i * sums->nodes;
		judge_part(sums, &placement->parts[i], row);
		for (node = 0; node < sums->nodes; node++) {
			placement->users[node] += sums->tables[USERS][row + node];
			placement->used += sums->tables[USERS][row + node];
		}
	}
	if (find_changes(sums))
		return -ENOMEM;
	count_loads_of_moved(sums);
	return 0;
}

/* Finds, for each part, the thread with stores that was sampled first. */
static void find_touchers(struct sums *sums)
{
	const struct memphis_heatmap *heatmap = sums->heatmap;
	const struct memphis_heatmap_use *use;
	struct memphis_part *part;
	uint64_t *first_ns = sums->seen;

	memset(first_ns, 0xff, sums->placement->part_count * sizeof(*first_ns));
	for (use = heatmap->uses; use < heatmap->uses + heatmap->use_count; use++) {
		part = &sums->placement->parts[use->bin >> sums->shift];
		if (!use->stores || use->first_ns >= first_ns[use->bin >> sums->shift])
			continue;
		first_ns[use->bin >> sums->shift] = use->first_ns;
		part->toucher = use->thread;
		part->toucher_node = memphis_placement_node(sums->placement, use->node);
	}
}

/*
 * Finds the first sampled store to each part. Sets part->initialised to MEMPHIS_NONE if this store cannot be the one
 * that initialised the part: another thread was sampled in the part earlier, or the store was made from a node that
 * does not have the pages.
 */
static void find_initialisers(struct sums *sums)
{
	const struct memphis_heatmap *heatmap = sums->heatmap;
	const struct memphis_heatmap_use *use, *end = heatmap->uses + heatmap->use_count;
	struct memphis_part *part;

	for (use = heatmap->uses; use < end; use++) {
		part = &sums->placement->parts[use->bin >> sums->shift];
		if (use->first_store == MEMPHIS_NONE ||
		    (part->first_store && use->first_store_ns >= part->first_store->first_store_ns))
			continue;
		part->first_store = use;
		part->initialised = use->first_store;
	}
	for (part = sums->placement->parts; part < sums->placement->parts + sums->placement->part_count;
	     part++)
		if (part->first_store && part->owner != MEMPHIS_SEVERAL &&
		    memphis_placement_node(sums->placement, part->first_store->node) != part->owner)
			part->initialised = MEMPHIS_NONE;
	for (use = heatmap->uses; use < end; use++) {
		part = &sums->placement->parts[use->bin >> sums->shift];
		if (part->first_store && use->thread != part->first_store->thread &&
		    use->first_ns < part->first_store->first_store_ns)
			part->initialised = MEMPHIS_NONE;
	}
}

static void init_thread(const struct sums *sums, struct memphis_placement_thread *thread,
			const struct memphis_heatmap_use *uses, size_t count)
{
	uint64_t first_ns = UINT64_MAX, there = 0;
	size_t i;

	thread->thread = uses->thread;
	thread->first_node = thread->node = MEMPHIS_SEVERAL;
	for (i = 0; i < count; i++) {
		if (uses[i].first_ns >= first_ns || uses[i].node == MEMPHIS_NODE_UNKNOWN)
			continue;
		first_ns = uses[i].first_ns;
		thread->first_node = memphis_placement_node(sums->placement, uses[i].node);
	}
	for (i = 0; i < count; i++) {
		thread->count += uses[i].count;
		if (thread->first_node == memphis_placement_node(sums->placement, uses[i].node))
			there += uses[i].count;
	}
	thread->stayed = (double)there >= STAYED * (double)thread->count;
	thread->wanders = thread->stayed && (double)(thread->count - there) >= STAYED * (double)thread->count;
}

/*
 * Returns whether the pages of the part are on the thread's first node, and the thread now runs on another node. The
 * thread must be the one that touched the part first. If no store to the part was sampled, the thread must have stayed
 * on its first node for some time.
 */
static bool has_left(const struct memphis_placement_thread *thread, const struct memphis_part *part, int node)
{
	return node != thread->first_node && part->owner == thread->first_node &&
	       (part->toucher == thread->thread || (part->toucher == MEMPHIS_NONE && thread->stayed));
}

static void add_uses(const struct sums *sums, struct memphis_placement_thread *thread,
		     const struct memphis_heatmap_use *uses, size_t count, double *homes, double *nodes)
{
	const struct memphis_part *part;
	size_t i, at, node;
	double sum = 0;
	int from;

	for (i = 0; i < count; i++) {
		at = uses[i].bin >> sums->shift;
		part = &sums->placement->parts[at];
		from = memphis_placement_node(sums->placement, uses[i].node);
		if (from == MEMPHIS_SEVERAL || !part->count)
			continue;
		thread->remote += uses[i].remote;
		nodes[from] += uses[i].remote;
		if (has_left(thread, part, from))
			thread->left += uses[i].remote;
		for (node = 0; node < sums->nodes; node++)
			homes[node] += (double)uses[i].count *
				       (double)sums->tables[HOMES][at * sums->nodes + node] /
				       (double)part->count;
	}
	for (node = 0; node < sums->nodes; node++) {
		sum += homes[node];
		if (thread->most_home < homes[node])
			thread->most_home = homes[node];
		if (nodes[node] > 0 && (thread->node == MEMPHIS_SEVERAL || nodes[node] > nodes[thread->node]))
			thread->node = (int)node;
	}
	thread->most_home = sum > 0 ? thread->most_home / sum : 1;
}

static int compare_threads(const void *a, const void *b)
{
	const struct memphis_placement_thread *x = a, *y = b;

	return memphis_order(y->remote, x->remote) ?: memphis_order(x->thread, y->thread);
}

/* Adds up the uses of each thread. These are adjacent in the array. */
static int add_threads(struct sums *sums)
{
	struct memphis_placement *placement = sums->placement;
	const struct memphis_heatmap *heatmap = sums->heatmap;
	double *homes = calloc(2 * sums->nodes + 1, sizeof(*homes));
	struct memphis_placement_thread *thread;
	size_t i, count;

	placement->threads = calloc(heatmap->use_count + 1, sizeof(*placement->threads));
	if (!placement->threads || !homes) {
		free(homes);
		return -ENOMEM;
	}
	for (i = 0; i < heatmap->use_count; i += count) {
		for (count = 1; i + count < heatmap->use_count; count++)
			if (heatmap->uses[i + count].thread != heatmap->uses[i].thread)
				break;
		thread = &placement->threads[placement->thread_count++];
		memset(homes, 0, 2 * sums->nodes * sizeof(*homes));
		init_thread(sums, thread, &heatmap->uses[i], count);
		add_uses(sums, thread, &heatmap->uses[i], count, homes, homes + sums->nodes);
	}
	qsort(placement->threads, placement->thread_count, sizeof(*placement->threads), compare_threads);
	free(homes);
	return 0;
}

int memphis_placement_make(struct memphis_placement *placement, const struct memphis_heatmap *heatmap)
{
	struct sums sums = {.placement = placement, .heatmap = heatmap};
	int rc;

	memset(placement, 0, sizeof(*placement));
	placement->heatmap = heatmap;
	rc = list_nodes(placement);
	if (!rc)
		rc = make_parts(&sums);
	if (!rc)
		rc = make_tables(&sums);
	if (!rc)
		rc = add_spots(&sums);
	if (rc)
		return rc;
	find_touchers(&sums);
	find_initialisers(&sums);
	placement->part_shift = sums.shift;
	return add_threads(&sums);
}

void memphis_placement_close(struct memphis_placement *placement)
{
	free(placement->nodes);
	free(placement->parts);
	free(placement->threads);
	free(placement->counts);
	memset(placement, 0, sizeof(*placement));
}
