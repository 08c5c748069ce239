// SPDX-License-Identifier: BSD-3-Clause
/* Rules and thresholds that recognise patterns of placement: which nodes have the pages of a variable, and which use them. */
#include "evidence/patterns.h"
#include "evidence/schedule.h"

#include <string.h>

#include "evidence/apart.h"

#define TAKES_PART 0.1 /* a node is a user of the variable if it makes at least this share of its samples */
/*
 * Minimum number of samples of a part, to decide that its pages are on several nodes. If the pages are on two nodes at
 * random, 12 or more of 16 samples have the same home node in 8 % of the parts. The part must also have several pages,
 * because a single page is on one node.
 */
#define MIXED_SAMPLES 16
#define PAGE_BYTES    4096

static bool has_cpus(const struct memphis_process *process, uint16_t node)
{
	size_t i;

	for (i = 0; i < process->node_count; i++)
		if (process->nodes[i].node == node)
			return strcmp(process->nodes[i].cpus, "-") != 0;
	return true;
}

static uint16_t node_number(const struct memphis_placement *placement, int node)
{
	return node == MEMPHIS_SEVERAL ? MEMPHIS_NODE_UNKNOWN : placement->nodes[node];
}

/* Returns the home node of most remote loads, and sets *share to its share of them. */
static int main_home(const struct memphis_placement *placement, double *share)
{
	int best = 0;
	size_t i;

	for (i = 1; i < placement->node_count; i++)
		if (placement->remote_by_home[i] > placement->remote_by_home[best])
			best = (int)i;
	*share = (double)placement->remote_by_home[best] / (double)placement->remote;
	return best;
}

/*
 * Returns the home node of nearly the whole variable, or MEMPHIS_SEVERAL. Parts with at least the share
 * MEMPHIS_ONE_HOME of the samples must be on this node, or must have moved away from it.
 */
static int only_home(const struct memphis_placement *placement)
{
	uint64_t owned = 0, sum = 0;
	double share;
	int home = main_home(placement, &share);
	size_t i;

	for (i = 0; i < placement->part_count; i++) {
		sum += placement->parts[i].count;
		if (placement->parts[i].owner == home || placement->parts[i].moved_from == home)
			owned += placement->parts[i].count;
	}
	return share >= MEMPHIS_ONE_HOME && (double)owned >= MEMPHIS_ONE_HOME * (double)sum ? home
											    : MEMPHIS_SEVERAL;
}

static bool is_memory_only(const struct memphis_suspect *suspect, struct memphis_finding *finding)
{
	double share;
	int home = main_home(&suspect->placement, &share);

	finding->home = node_number(&suspect->placement, home);
	finding->samples = suspect->placement.remote_by_home[home];
	return share >= MEMPHIS_FINDING_PART && !has_cpus(suspect->process, finding->home);
}

/* Returns the part with the most remote loads among those that moved, or NULL. */
static const struct memphis_part *find_moved_part(const struct memphis_placement *placement)
{
	const struct memphis_part *part = NULL;
	size_t i;

	for (i = 0; i < placement->part_count; i++)
		if (placement->parts[i].moved_from != MEMPHIS_SEVERAL &&
		    (!part || placement->parts[i].remote > part->remote))
			part = &placement->parts[i];
	return part;
}

/*
 * Returns whether most remote loads go to parts whose pages moved back and forth. Also sets finding->thread if one
 * thread, which ran on several nodes, makes most remote loads.
 */
static bool is_ping_pong(const struct memphis_suspect *suspect, struct memphis_finding *finding)
{
	const struct memphis_placement *placement = &suspect->placement;
	const struct memphis_placement_thread *worst = placement->threads;
	size_t i;

	if ((double)placement->shuttled < MEMPHIS_FINDING_PART * (double)placement->remote)
		return false;
	finding->samples = placement->shuttled;
	for (i = 0; i < placement->part_count; i++)
		if (placement->parts[i].moves > finding->moves)
			finding->moves = placement->parts[i].moves;
	if (worst->wanders && (double)worst->remote >= MEMPHIS_FINDING_PART * (double)placement->remote) {
		finding->thread = worst->thread;
		finding->thread_share = (double)worst->remote / (double)placement->remote;
	}
	finding->node_count = 0;
	memphis_finding_list_nodes(placement, placement->homes, placement->homed, finding);
	return finding->node_count > 1;
}

static bool is_moved_pages(const struct memphis_suspect *suspect, struct memphis_finding *finding)
{
	const struct memphis_placement *placement = &suspect->placement;
	const struct memphis_part *part = find_moved_part(placement);

	if (!part || (double)placement->moved < MEMPHIS_FINDING_PART * (double)placement->remote)
		return false;
	finding->samples = placement->moved;
	finding->node = finding->home = node_number(placement, part->moved_from);
	return true;
}

/* Returns whether most remote loads were made before the pages moved to the node of their users. */
static bool is_moved_to_users(const struct memphis_suspect *suspect, struct memphis_finding *finding)
{
	const struct memphis_placement *placement = &suspect->placement;
	const struct memphis_part *part = find_moved_part(placement);

	if (!part || (double)placement->followed < MEMPHIS_FINDING_PART * (double)placement->remote)
		return false;
	finding->samples = placement->followed;
	finding->home = node_number(placement, part->moved_from);
	return true;
}

static bool is_moved_threads(const struct memphis_suspect *suspect, struct memphis_finding *finding)
{
	const struct memphis_placement *placement = &suspect->placement;
	const struct memphis_placement_thread *worst = NULL;
	uint64_t left = 0;
	size_t i;

	for (i = 0; i < placement->thread_count; i++) {
		left += placement->threads[i].left;
		if (!worst || placement->threads[i].left > worst->left)
			worst = &placement->threads[i];
	}
	if (!worst || (double)left < MEMPHIS_FINDING_PART * (double)placement->remote)
		return false;
	finding->samples = left;
	finding->thread = worst->thread;
	finding->thread_share = (double)worst->left / (double)left;
	finding->home = node_number(placement, worst->first_node);
	finding->node = node_number(placement, worst->node);
	return true;
}

void memphis_finding_list_nodes(const struct memphis_placement *placement, const uint64_t *by_node,
				uint64_t sum, struct memphis_finding *finding)
{
	size_t i;

	for (i = 0; i < placement->node_count && finding->node_count < MEMPHIS_FINDING_NODES; i++)
		if ((double)by_node[i] >= TAKES_PART * (double)sum)
			finding->nodes[finding->node_count++] = placement->nodes[i];
}

/*
 * Returns whether the thread that stored first to the part is known. It is unknown if another thread was sampled in
 * the part earlier.
 */
static bool has_known_toucher(const struct memphis_part *part)
{
	return part->toucher != MEMPHIS_NONE &&
	       (!part->first_store ||
		(part->initialised != MEMPHIS_NONE && part->first_store->thread == part->toucher));
}

/*
 * Returns the thread that first stored to the parts, from home node `home`. It must be the first in at least three
 * quarters of the parts whose first thread is known, and this must be known for half of the parts. Otherwise returns
 * MEMPHIS_NONE.
 */
static uint32_t find_first_toucher(const struct memphis_placement *placement, int home)
{
	size_t known = 0, seen = 0, best = 0, parts, i, j;
	const struct memphis_part *part, *other;
	uint32_t thread = MEMPHIS_NONE;

	for (i = 0; i < placement->part_count; i++) {
		part = &placement->parts[i];
		seen += part->count != 0;
		if (!has_known_toucher(part))
			continue;
		known++;
		for (parts = 0, j = 0; j < placement->part_count; j++) {
			other = &placement->parts[j];
			parts += has_known_toucher(other) && other->toucher == part->toucher &&
				 other->toucher_node == home;
		}
		if (parts > best) {
			best = parts;
			thread = part->toucher;
		}
	}
	return 2 * known >= seen && (double)best >= MEMPHIS_PART_AGREE * (double)known ? thread
										       : MEMPHIS_NONE;
}

/* Sets the number of remote loads, the odds that nodes use separate parts, and the odds that the variable is only read. */
static void set_use_odds(const struct memphis_suspect *suspect, struct memphis_finding *finding)
{
	finding->samples = suspect->placement.remote;
	finding->apart_odds = memphis_apart_odds(&suspect->placement);
	finding->read_odds = suspect->stores ? memphis_read_odds(&suspect->placement) : 0;
}

static double users_store_share(const struct memphis_placement *placement)
{
	return placement->shared ? (double)placement->shared_stores / (double)placement->shared : 0;
}

/* Returns whether several nodes use the same parts and only read them, and the pages are on several nodes. */
static bool is_read_shared(const struct memphis_suspect *suspect, struct memphis_finding *finding)
{
	if (!suspect->stores || finding->home != MEMPHIS_NODE_UNKNOWN || finding->node_count < 2)
		return false;
	set_use_odds(suspect, finding);
	finding->store_share = users_store_share(&suspect->placement);
	return finding->apart_odds <= -MEMPHIS_FINDING_ODDS && finding->read_odds >= MEMPHIS_FINDING_ODDS;
}

/*
 * Returns whether all pages are on one node, and several nodes use them. If the nodes probably use the same parts and
 * only read them, changes the pattern to read-shared. This is preliminary: diagnose/ decides from several variables
 * and processes together.
 */
static bool is_first_touch(const struct memphis_suspect *suspect, struct memphis_finding *finding)
{
	const struct memphis_placement *placement = &suspect->placement;
	int home = only_home(placement);

	if (home == MEMPHIS_SEVERAL || finding->node_count < 2)
		return false;
	set_use_odds(suspect, finding);
	finding->apart = finding->apart_odds > 0;
	if (!finding->apart && finding->read_odds > 0) {
		finding->pattern = MEMPHIS_PATTERN_READ_SHARED;
		finding->store_share = users_store_share(placement);
	} else {
		finding->touched_by = find_first_toucher(placement, home);
	}
	return true;
}

/*
 * Adds the part to the ranges of the finding. If `continues` is true, extends the last range by the part. Otherwise
 * starts a new range. Ranges beyond the maximum are counted, but not stored.
 */
static void add_range(const struct memphis_placement *placement, const struct memphis_part *part, int home,
		      bool continues, struct memphis_finding *finding)
{
	const struct memphis_heatmap *heatmap = placement->heatmap;
	struct memphis_finding_range *range;

	if (!continues) {
		if (finding->range_count++ < MEMPHIS_FINDING_RANGES)
			finding->ranges[finding->range_count - 1] = (struct memphis_finding_range){
				.low = memphis_heatmap_address(heatmap, part->low),
				.home = node_number(placement, home),
				.node = node_number(placement, part->user)};
	}
	if (finding->range_count > MEMPHIS_FINDING_RANGES)
		return;
	range = &finding->ranges[finding->range_count - 1];
	range->high = memphis_heatmap_address(heatmap, part->high - 1) + 1;
	range->remote += part->remote;
}

/*
 * Returns whether the pages of a part are on several nodes at the same time, as interleaved memory is. Only called for
 * parts without a single home node.
 */
static bool is_mixed(const struct memphis_part *part)
{
	if (part->moved_from != MEMPHIS_SEVERAL)
		return false;
	return part->count >= MIXED_SAMPLES && part->high - part->low > PAGE_BYTES;
}

/* Returns whether one node uses the part, but the pages are on another node or on several nodes. */
static bool is_mismatched(const struct memphis_part *part)
{
	return part->user != MEMPHIS_SEVERAL && part->owner != part->user &&
	       (part->owner != MEMPHIS_SEVERAL || is_mixed(part));
}

/*
 * Returns whether the mismatched memory (used by one node, but not on it) is mostly interleaved over several nodes. If
 * so, the parts on a single node are there by chance, for example the last part with only one page.
 */
static bool is_interleaved(const struct memphis_placement *placement)
{
	uint64_t mixed = 0, mismatched = 0;
	size_t i;

	for (i = 0; i < placement->part_count; i++) {
		if (!is_mismatched(&placement->parts[i]))
			continue;
		mismatched += placement->parts[i].remote;
		if (placement->parts[i].owner == MEMPHIS_SEVERAL)
			mixed += placement->parts[i].remote;
	}
	return (double)mixed >= MEMPHIS_FINDING_PART * (double)mismatched;
}

static bool is_partition(const struct memphis_suspect *suspect, struct memphis_finding *finding)
{
	const struct memphis_placement *placement = &suspect->placement;
	const bool interleaved = is_interleaved(placement);
	const struct memphis_part *part, *last = NULL;
	uint64_t mismatched = 0;
	size_t i;

	/* Elements of separate blocks have no common numbering. */
	finding->low = memphis_heatmap_address(suspect->heatmap, suspect->heatmap->low);
	finding->element_bytes = suspect->heatmap->extent_count ? 0 : suspect->heatmap->element_bytes;
	for (i = 0; i < placement->part_count; i++) {
		part = &placement->parts[i];
		if (!part->count)
			continue;
		if (!is_mismatched(part)) {
			last = NULL;
			continue;
		}
		if (!part->remote)
			continue;
		mismatched += part->remote;
		add_range(placement, part, interleaved ? MEMPHIS_SEVERAL : part->owner,
			  last && last->user == part->user && (interleaved || last->owner == part->owner),
			  finding);
		last = part;
	}
	finding->samples = mismatched;
	return (double)mismatched >= MEMPHIS_FINDING_PART * (double)placement->remote;
}

static void list_homes(const struct memphis_placement *placement, struct memphis_finding *finding)
{
	finding->node_count = 0;
	memphis_finding_list_nodes(placement, placement->homes, placement->homed, finding);
}

static bool is_schedule(const struct memphis_suspect *suspect, struct memphis_finding *finding)
{
	list_homes(&suspect->placement, finding);
	return finding->node_count > 1 && memphis_is_odd_schedule(suspect, finding);
}

static bool is_other_schedule(const struct memphis_suspect *suspect, struct memphis_finding *finding)
{
	list_homes(&suspect->placement, finding);
	return finding->node_count > 1 && memphis_is_other_schedule(suspect, finding);
}

/*
 * The rules in order of precedence. The first rule that holds determines the pattern.
 * - Rules with `of_all` explain all remote loads of the variable, wherever the program makes them. The other rules
 *   explain only the loads that no serial phase explains (serial.h).
 * - Read-shared precedes first-touch, because replicating data that all nodes only read is a better remedy than
 *   another first touch.
 * - First-touch precedes schedule and partition, because a variable with a single home node cannot have those
 *   patterns.
 * - Schedule precedes partition: a mismatch of one loop is reported rather than a mismatch of the initialisation. A
 *   mismatch of all loops is reported only if partition, which names the user of each part, does not hold.
 */
static const struct rule {
	enum memphis_pattern pattern;
	bool (*holds)(const struct memphis_suspect *suspect, struct memphis_finding *finding);
	bool of_all;
} rules[] = {
	{MEMPHIS_PATTERN_MEMORY_ONLY, is_memory_only, true},
	{MEMPHIS_PATTERN_PING_PONG, is_ping_pong, true},
	{MEMPHIS_PATTERN_MOVED_PAGES, is_moved_pages, true},
	{MEMPHIS_PATTERN_MOVED_TO_USERS, is_moved_to_users, true},
	{MEMPHIS_PATTERN_MOVED_THREADS, is_moved_threads, true},
	{MEMPHIS_PATTERN_READ_SHARED, is_read_shared, false},
	{MEMPHIS_PATTERN_FIRST_TOUCH, is_first_touch, false},
	{MEMPHIS_PATTERN_SCHEDULE, is_schedule, false},
	{MEMPHIS_PATTERN_PARTITION, is_partition, false},
	{MEMPHIS_PATTERN_SCHEDULE, is_other_schedule, false},
};

static double store_share(const struct memphis_suspect *suspect)
{
	uint64_t stores = 0, count = 0;
	size_t i;

	for (i = 0; i < suspect->heatmap->use_count; i++) {
		count += suspect->heatmap->uses[i].count;
		stores += suspect->heatmap->uses[i].stores;
	}
	return suspect->stores && count ? (double)stores / (double)count : -1;
}

/* Returns the share of the pages that each node would have if they were interleaved over all nodes with CPUs and memory. */
static double even_share(const struct memphis_suspect *suspect)
{
	const struct memphis_process *process = suspect->process;
	size_t nodes = 0, i;

	for (i = 0; i < process->node_count; i++)
		nodes +=
			process->nodes[i].memory_bytes && has_cpus(process, (uint16_t)process->nodes[i].node);
	if (!nodes)
		nodes = suspect->placement.node_count;
	return 1.0 / (double)nodes;
}

void memphis_finding_begin(const struct memphis_suspect *suspect, struct memphis_finding *finding)
{
	memset(finding, 0, sizeof(*finding));
	finding->variable = suspect->heatmap->variable;
	finding->process = suspect->heatmap->process;
	finding->processes = 1;
	finding->home = finding->node = MEMPHIS_NODE_UNKNOWN;
	finding->thread = finding->touched_by = finding->instruction = finding->initialised_at =
		finding->usual = MEMPHIS_NONE;
	finding->store_share = store_share(suspect);
	finding->reused = suspect->heatmap->reused;
	finding->reused_of = finding->reused ? suspect->heatmap->reused_of : MEMPHIS_NONE;
	finding->small_blocks = suspect->heatmap->small_blocks;
}

bool memphis_find_pattern(const struct memphis_suspect *suspect, bool of_all, struct memphis_finding *finding)
{
	const struct memphis_placement *placement = &suspect->placement;
	const struct rule *rule;
	double home_share;
	int home;

	if (placement->remote < MEMPHIS_FINDING_HINT)
		return false;
	main_home(placement, &home_share);
	home = only_home(placement);
	for (rule = rules; rule < rules + sizeof(rules) / sizeof(*rules); rule++) {
		if ((of_all && !rule->of_all) || placement->remote < memphis_finding_least(rule->pattern))
			continue;
		memphis_finding_begin(suspect, finding);
		finding->pattern = rule->pattern;
		finding->home_share = home_share;
		finding->even_share = even_share(suspect);
		finding->home = node_number(placement, home);
		memphis_finding_list_nodes(placement, placement->users, placement->used, finding);
		if (rule->holds(suspect, finding))
			return true;
	}
	return false;
}
