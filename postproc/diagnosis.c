// SPDX-License-Identifier: BSD-3-Clause
/* From close-ups to findings: which pattern a variable's samples follow, if any. */
#include "diagnosis.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "placement.h"
#include "sharing.h"

#define ONE_HOME    0.9  /* of the samples: pages are on one node */
#define TAKES_PART  0.1  /* of a variable's samples: a node that has fewer does not use it */
#define READ_ONLY   0.02 /* stores among the samples of threads that did not initialise it, at most */
#define WRITTEN_TOO 0.1  /* stores among all of its samples: more than initialising would be */
/* Of the samples: twice as many as all others make. Of two threads that share the work, each makes half. */
#define ALONE 0.667

const char *const memphis_pattern_names[MEMPHIS_PATTERNS] = {
	[MEMPHIS_PATTERN_FIRST_TOUCH] = "first-touch",
	[MEMPHIS_PATTERN_PARTITION] = "partition-mismatch",
	[MEMPHIS_PATTERN_SERIAL] = "serial-phase",
	[MEMPHIS_PATTERN_FALSE_SHARING] = "false-sharing",
	[MEMPHIS_PATTERN_TRUE_SHARING] = "true-sharing",
	[MEMPHIS_PATTERN_MOVED_THREADS] = "moved-threads",
	[MEMPHIS_PATTERN_MOVED_PAGES] = "moved-pages",
	[MEMPHIS_PATTERN_READ_SHARED] = "read-shared",
	[MEMPHIS_PATTERN_MEMORY_ONLY] = "memory-only-node",
};

const char *const memphis_initialised_names[] = {
	[MEMPHIS_INITIALISED_NOT_SAMPLED] = "not-sampled",
	[MEMPHIS_INITIALISED_NO_STORES] = "stores-not-sampled",
	[MEMPHIS_INITIALISED_PERHAPS] = "first-sampled-store",
	[MEMPHIS_INITIALISED_SEVERAL] = "several-places",
	[MEMPHIS_INITIALISED_AT] = "one-place",
};

struct diagnosis {
	struct memphis_findings *findings;
	const struct memphis_rows *rows;
	const struct memphis_profile *profile;
	uint64_t samples; /* in the files, selected or not */
	bool stores;      /* are sampled at all */
};

/* What one look at a variable is about. */
struct look {
	const struct diagnosis *diagnosis;
	const struct memphis_closeup *closeup;
	const struct memphis_process *process;
	struct memphis_placement placement;
};

static bool has_cpus(const struct memphis_process *process, uint16_t node)
{
	size_t i;

	for (i = 0; i < process->node_count; i++)
		if (process->nodes[i].node == node)
			return strcmp(process->nodes[i].cpus, "-") != 0;
	return true;
}

static uint16_t name_of(const struct memphis_placement *placement, int node)
{
	return node == MEMPHIS_SEVERAL ? MEMPHIS_NODE_UNKNOWN : placement->nodes[node];
}

/* The home with most remote samples, and its share of them. */
static int main_home(const struct memphis_placement *placement, double *share)
{
	int best = 0;
	size_t i;

	for (i = 1; i < placement->node_count; i++)
		if (placement->remote_by_home[i] > placement->remote_by_home[best])
			best = (int)i;
	*share = placement->remote_by_home[best] / placement->remote;
	return best;
}

/* The node that owns the parts with nearly all samples, or MEMPHIS_SEVERAL. */
static int only_home(const struct memphis_placement *placement)
{
	uint64_t owned = 0, sum = 0;
	double share;
	int home = main_home(placement, &share);
	size_t i;

	for (i = 0; i < placement->part_count; i++) {
		sum += placement->parts[i].count;
		if (placement->parts[i].owner == home)
			owned += placement->parts[i].count;
	}
	return share >= ONE_HOME && (double)owned >= ONE_HOME * (double)sum ? home : MEMPHIS_SEVERAL;
}

static bool is_memory_only(const struct look *look, struct memphis_finding *finding)
{
	double share;
	int home = main_home(&look->placement, &share);

	finding->home = name_of(&look->placement, home);
	finding->samples = (uint64_t)look->placement.remote_by_home[home];
	return share >= MEMPHIS_FINDING_PART && !has_cpus(look->process, finding->home);
}

static bool is_moved_pages(const struct look *look, struct memphis_finding *finding)
{
	const struct memphis_placement *placement = &look->placement;
	const struct memphis_part *part = NULL;
	size_t i;

	if (placement->moved < MEMPHIS_FINDING_PART * placement->remote)
		return false;
	for (i = 0; i < placement->part_count; i++)
		if (placement->parts[i].moved_from != MEMPHIS_SEVERAL &&
		    (!part || placement->parts[i].remote > part->remote))
			part = &placement->parts[i];
	finding->samples = (uint64_t)placement->moved;
	finding->node = finding->home = name_of(placement, part->moved_from);
	return true;
}

static bool is_moved_threads(const struct look *look, struct memphis_finding *finding)
{
	const struct memphis_placement *placement = &look->placement;
	const struct memphis_placement_thread *worst = NULL;
	double left = 0;
	size_t i;

	for (i = 0; i < placement->thread_count; i++) {
		left += placement->threads[i].left;
		if (!worst || placement->threads[i].left > worst->left)
			worst = &placement->threads[i];
	}
	if (!worst || left < MEMPHIS_FINDING_PART * placement->remote)
		return false;
	finding->samples = (uint64_t)left;
	finding->thread = worst->thread;
	finding->thread_share = worst->left / left;
	finding->home = name_of(placement, worst->first_node);
	finding->node = name_of(placement, worst->node);
	return true;
}

/* Those that take part in `sum`. */
static void list_nodes(const struct memphis_placement *placement, const uint64_t *by_node, uint64_t sum,
		       struct memphis_finding *finding)
{
	size_t i;

	for (i = 0; i < placement->node_count && finding->node_count < MEMPHIS_FINDING_NODES; i++)
		if ((double)by_node[i] >= TAKES_PART * (double)sum)
			finding->nodes[finding->node_count++] = placement->nodes[i];
}

/* With 95 % confidence one thread works alone, and what it works on is not one node's. */
static bool is_serial(const struct look *look, struct memphis_finding *finding)
{
	const struct memphis_placement *placement = &look->placement;
	const struct memphis_placement_thread *thread = placement->threads;

	if (!placement->thread_count || thread->most_home >= ONE_HOME ||
	    memphis_share_of((uint64_t)thread->remote, (uint64_t)placement->remote).low < ALONE)
		return false;
	finding->samples = (uint64_t)thread->remote;
	finding->thread = thread->thread;
	finding->thread_share = thread->remote / placement->remote;
	finding->node = name_of(placement, thread->node);
	list_nodes(placement, placement->homes, placement->homed, finding);
	return true;
}

/* Share of the remote samples in parts that are used by several nodes. */
static double shared(const struct memphis_placement *placement)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < placement->part_count; i++)
		if (placement->parts[i].user == MEMPHIS_SEVERAL)
			sum += placement->parts[i].remote;
	return sum / placement->remote;
}

/* Nobody writes but who initialised it, and they less than they would if they went on. */
static bool is_read_shared(const struct look *look, struct memphis_finding *finding)
{
	const struct memphis_placement *placement = &look->placement;
	uint64_t count = 0, stores = 0, elsewhere = 0, stores_elsewhere = 0;
	size_t i;

	for (i = 0; i < placement->thread_count; i++) {
		count += placement->threads[i].count;
		stores += placement->threads[i].stores;
		elsewhere += placement->threads[i].count_elsewhere;
		stores_elsewhere += placement->threads[i].stores_elsewhere;
	}
	finding->samples = (uint64_t)placement->remote;
	return look->diagnosis->stores && finding->node_count > 1 &&
	       shared(placement) >= MEMPHIS_FINDING_PART &&
	       (double)stores_elsewhere <= READ_ONLY * (double)elsewhere &&
	       (double)stores <= WRITTEN_TOO * (double)count;
}

/* Unless somebody else was seen there before. */
static bool knows_toucher(const struct memphis_part *part)
{
	return part->toucher != MEMPHIS_NONE &&
	       (!part->first_store ||
		(part->initialised != MEMPHIS_NONE && part->first_store->thread == part->toucher));
}

/* Who wrote three quarters of the parts first, on the node where they are: of some parts the first stores were not sampled. */
static uint32_t toucher_of(const struct memphis_placement *placement, int home)
{
	size_t known = 0, seen = 0, best = 0, parts, i, j;
	const struct memphis_part *part, *other;
	uint32_t thread = MEMPHIS_NONE;

	for (i = 0; i < placement->part_count; i++) {
		part = &placement->parts[i];
		seen += part->count != 0;
		if (!knows_toucher(part))
			continue;
		known++;
		for (parts = 0, j = 0; j < placement->part_count; j++) {
			other = &placement->parts[j];
			parts += knows_toucher(other) && other->toucher == part->toucher &&
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

static bool is_first_touch(const struct look *look, struct memphis_finding *finding)
{
	const struct memphis_placement *placement = &look->placement;
	int home = only_home(placement);

	if (home == MEMPHIS_SEVERAL || finding->node_count < 2)
		return false;
	finding->samples = (uint64_t)placement->remote;
	finding->apart = shared(placement) < MEMPHIS_FINDING_PART;
	finding->touched_by = toucher_of(placement, home);
	return true;
}

/* Parts side by side of the same owner and user are one range; those beyond the first ones are counted. */
static void add_range(const struct memphis_placement *placement, const struct memphis_part *part,
		      const struct memphis_part *last, struct memphis_finding *finding)
{
	struct memphis_finding_range *range;

	if (!last || last->owner != part->owner || last->user != part->user) {
		if (finding->range_count++ < MEMPHIS_FINDING_RANGES)
			finding->ranges[finding->range_count - 1] =
				(struct memphis_finding_range){.low = part->low,
							       .home = name_of(placement, part->owner),
							       .node = name_of(placement, part->user)};
	}
	if (finding->range_count > MEMPHIS_FINDING_RANGES)
		return;
	range = &finding->ranges[finding->range_count - 1];
	range->high = part->high;
	range->remote += part->remote;
}

static bool is_partition(const struct look *look, struct memphis_finding *finding)
{
	const struct memphis_placement *placement = &look->placement;
	const struct memphis_part *part, *last = NULL;
	double mismatched = 0;
	size_t i;

	finding->low = look->closeup->low;
	finding->element_bytes = look->closeup->element_bytes;
	for (i = 0; i < placement->part_count; i++) {
		part = &placement->parts[i];
		if (!part->count || part->remote <= 0)
			continue;
		if (part->owner == MEMPHIS_SEVERAL || part->user == MEMPHIS_SEVERAL ||
		    part->owner == part->user) {
			last = NULL;
			continue;
		}
		mismatched += part->remote;
		add_range(placement, part, last, finding);
		last = part;
	}
	finding->samples = (uint64_t)mismatched;
	return mismatched >= MEMPHIS_FINDING_PART * placement->remote;
}

/*
 * The first that holds. What moved explains all that follows; a single thread's work explains every home but one; what is read by all can be
 * replicated, which first touch can't do; and who has one home can't be partitioned.
 */
static const struct rule {
	enum memphis_pattern pattern;
	bool (*holds)(const struct look *look, struct memphis_finding *finding);
} rules[] = {
	{MEMPHIS_PATTERN_MEMORY_ONLY, is_memory_only},     {MEMPHIS_PATTERN_MOVED_PAGES, is_moved_pages},
	{MEMPHIS_PATTERN_MOVED_THREADS, is_moved_threads}, {MEMPHIS_PATTERN_SERIAL, is_serial},
	{MEMPHIS_PATTERN_READ_SHARED, is_read_shared},     {MEMPHIS_PATTERN_FIRST_TOUCH, is_first_touch},
	{MEMPHIS_PATTERN_PARTITION, is_partition},
};

const struct memphis_profile_frame *memphis_frame_told(const struct memphis_profile *profile,
						       uint32_t instruction)
{
	const struct memphis_instruction *at = &profile->instructions[instruction];
	const struct memphis_profile_frame *frames = &profile->frames[at->frame];
	const char *path;
	uint32_t i;

	for (i = 0; i < at->frame_count; i++) {
		path = memphis_profile_text(profile, frames[i].path);
		if (path && strncmp(path, "/usr/", 5))
			return &frames[i];
	}
	return frames;
}

static bool same_place(const struct memphis_profile *profile, uint32_t a, uint32_t b)
{
	const struct memphis_profile_frame *x = memphis_frame_told(profile, a),
					   *y = memphis_frame_told(profile, b);

	return x->path == y->path && x->line == y->line && x->function == y->function;
}

/* When the place of this instruction was seen storing at last. */
static uint64_t last_store(const struct look *look, uint32_t instruction)
{
	const struct memphis_closeup *closeup = look->closeup;
	uint64_t last_ns = 0;
	size_t i;

	for (i = 0; i < closeup->store_count; i++)
		if (closeup->stores[i].last_ns > last_ns &&
		    same_place(look->diagnosis->profile, closeup->stores[i].instruction, instruction))
			last_ns = closeup->stores[i].last_ns;
	return last_ns;
}

/* The part whose first store came before those of all others. */
static const struct memphis_part *first_part(const struct memphis_placement *placement)
{
	const struct memphis_part *part, *first = NULL;

	for (part = placement->parts; part < placement->parts + placement->part_count; part++)
		if (part->initialised != MEMPHIS_NONE &&
		    (!first || part->first_store->first_store_ns < first->first_store->first_store_ns))
			first = part;
	return first;
}

/*
 * What is seen storing first has initialised the variable, if it stops when it has been everywhere. A part that another place was seen
 * storing to first, after that, is one whose initialisation was not sampled.
 */
static enum memphis_initialised judge_place(const struct look *look, uint32_t place)
{
	const struct memphis_placement *placement = &look->placement;
	const uint64_t last_ns = last_store(look, place), to_ns = look->closeup->to_ns;
	uint64_t first_ns, everywhere_ns = 0;
	const struct memphis_part *part;
	size_t seen = 0, here = 0, elsewhere = 0;

	for (part = placement->parts; part < placement->parts + placement->part_count; part++) {
		seen += part->count != 0;
		if (part->initialised == MEMPHIS_NONE)
			continue;
		first_ns = part->first_store->first_store_ns;
		if (same_place(look->diagnosis->profile, part->initialised, place)) {
			here++;
			everywhere_ns = first_ns > everywhere_ns ? first_ns : everywhere_ns;
		} else {
			elsewhere += first_ns <= last_ns;
		}
	}
	if ((double)here < MEMPHIS_FINDING_PLACES * (double)seen)
		return MEMPHIS_INITIALISED_NOT_SAMPLED;
	if (last_ns > everywhere_ns + (to_ns - everywhere_ns) / 2)
		return MEMPHIS_INITIALISED_PERHAPS;
	return (double)here < MEMPHIS_PART_AGREE * (double)(here + elsewhere) ? MEMPHIS_INITIALISED_SEVERAL
									      : MEMPHIS_INITIALISED_AT;
}

static void find_initialised(const struct look *look, struct memphis_finding *finding)
{
	const struct memphis_part *first = first_part(&look->placement);

	finding->initialised = MEMPHIS_INITIALISED_NOT_SAMPLED;
	if (!look->diagnosis->stores)
		finding->initialised = MEMPHIS_INITIALISED_NO_STORES;
	else if (first)
		finding->initialised = judge_place(look, first->initialised);
	if (finding->initialised >= MEMPHIS_INITIALISED_PERHAPS)
		finding->initialised_at = first->initialised;
	if (finding->initialised == MEMPHIS_INITIALISED_PERHAPS)
		finding->touched_by = MEMPHIS_NONE;
}

/* The calipers with most of the pattern's samples: `remote` ones, or those of lines that were found modified. */
static void find_regions(const struct memphis_closeup *closeup, bool remote, struct memphis_finding *finding)
{
	const struct memphis_closeup_region *region, *end = closeup->regions + closeup->region_count;
	struct memphis_finding_region *kept = finding->regions;
	uint64_t sum = 0, count;
	size_t at;

	for (region = closeup->regions; region < end; region++)
		sum += remote ? region->remote : region->hitm;
	for (region = closeup->regions; region < end; region++) {
		count = remote ? region->remote : region->hitm;
		if (region->region <= MEMPHIS_REGION_UNKNOWN ||
		    (double)count < MEMPHIS_FINDING_REGION * (double)sum)
			continue;
		for (at = finding->region_count; at && kept[at - 1].share * (double)sum < (double)count; at--)
			if (at < MEMPHIS_FINDING_REGIONS)
				kept[at] = kept[at - 1];
		if (at == MEMPHIS_FINDING_REGIONS)
			continue;
		kept[at] = (struct memphis_finding_region){region->region, (double)count / (double)sum};
		finding->region_count += finding->region_count < MEMPHIS_FINDING_REGIONS;
	}
}

static double stores_of(const struct look *look)
{
	uint64_t stores = 0, count = 0;
	size_t i;

	for (i = 0; i < look->closeup->use_count; i++) {
		count += look->closeup->uses[i].count;
		stores += look->closeup->uses[i].stores;
	}
	return look->diagnosis->stores && count ? (double)stores / (double)count : -1;
}

/* Of the nodes that have CPUs and memory. */
static double even_share(const struct look *look)
{
	const struct memphis_process *process = look->process;
	size_t nodes = 0, i;

	for (i = 0; i < process->node_count; i++)
		nodes +=
			process->nodes[i].memory_bytes && has_cpus(process, (uint16_t)process->nodes[i].node);
	if (!nodes)
		nodes = look->placement.node_count;
	return 1.0 / (double)nodes;
}

/* Numbers that say the same whatever the pattern. */
static void begin_finding(const struct look *look, struct memphis_finding *finding)
{
	memset(finding, 0, sizeof(*finding));
	finding->variable = look->closeup->variable;
	finding->process = look->closeup->process;
	finding->processes = 1;
	finding->home = finding->node = MEMPHIS_NODE_UNKNOWN;
	finding->thread = finding->touched_by = finding->instruction = finding->initialised_at = MEMPHIS_NONE;
	finding->store_share = stores_of(look);
}

static bool find_placement(const struct look *look, struct memphis_finding *finding)
{
	const struct memphis_placement *placement = &look->placement;
	const struct rule *rule;
	double home_share;
	int home;

	if (placement->remote < MEMPHIS_FINDING_SAMPLES)
		return false;
	main_home(placement, &home_share);
	home = only_home(placement);
	for (rule = rules; rule < rules + sizeof(rules) / sizeof(*rules); rule++) {
		begin_finding(look, finding);
		finding->pattern = rule->pattern;
		finding->home_share = home_share;
		finding->even_share = even_share(look);
		finding->home = name_of(placement, home);
		if (rule->pattern != MEMPHIS_PATTERN_SERIAL)
			list_nodes(placement, placement->users, placement->used, finding);
		if (!rule->holds(look, finding))
			continue;
		find_initialised(look, finding);
		find_regions(look->closeup, true, finding);
		return true;
	}
	return false;
}

/* Samples of an instruction that the variable was touched by. */
struct touch {
	uint64_t count;
	uint32_t path, line, instruction;
};

static int compare_touches(const void *a, const void *b)
{
	const struct touch *x = a, *y = b;

	if (x->path != y->path)
		return x->path < y->path ? -1 : 1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return (x->instruction > y->instruction) - (x->instruction < y->instruction);
}

/* Of the lines with most samples the first one's instruction. Touches are sorted. */
static void choose_line(const struct touch *touches, size_t count, struct memphis_finding *finding)
{
	const struct touch *first = touches, *touch;
	uint64_t line = 0, most = 0;

	for (touch = touches; touch < touches + count; touch++) {
		if (touch->path != first->path || touch->line != first->line) {
			first = touch;
			line = 0;
		}
		line += touch->count;
		if (touch->line &&
		    (line > most || (line == most && first->instruction < finding->instruction))) {
			most = line;
			finding->instruction = first->instruction;
		}
	}
}

/* The instruction that stands for the line with most samples of the variable, on the finding's node if there is one. */
static int find_line(const struct diagnosis *diagnosis, struct memphis_finding *finding)
{
	const struct memphis_profile *profile = diagnosis->profile;
	struct touch *touches = calloc(profile->instruction_count + 1, sizeof(*touches));
	const struct memphis_profile_frame *frame;
	const struct memphis_cell *cell;
	size_t count = 0, i;

	if (!touches)
		return -ENOMEM;
	for (cell = profile->cells; cell < profile->cells + profile->cell_count; cell++)
		if (cell->key.variable == finding->variable &&
		    (finding->node == MEMPHIS_NODE_UNKNOWN || cell->key.access.node == finding->node) &&
		    memphis_view_takes(profile, diagnosis->rows->view, cell))
			touches[cell->key.instruction].count += cell->count;
	for (i = 0; i < profile->instruction_count; i++) {
		if (!touches[i].count)
			continue;
		frame = &profile->frames[profile->instructions[i].frame];
		touches[count++] = (struct touch){touches[i].count, frame->path, frame->line, (uint32_t)i};
	}
	qsort(touches, count, sizeof(*touches), compare_touches);
	choose_line(touches, count, finding);
	free(touches);
	return 0;
}

/* The same pattern of the same variable in another process is one finding, told of the process where it is worst. */
static int add_finding(struct diagnosis *diagnosis, const struct memphis_closeup *closeup,
		       struct memphis_finding *finding)
{
	struct memphis_findings *findings = diagnosis->findings;
	struct memphis_finding *other;
	uint64_t samples;
	uint32_t processes;
	size_t i;

	if (finding->samples < MEMPHIS_FINDING_SAMPLES)
		return 0;
	finding->samples *= closeup->one_in ? closeup->one_in : 1;
	for (i = 0; i < findings->count; i++) {
		other = &findings->list[i];
		if (other->pattern != finding->pattern || other->variable != finding->variable)
			continue;
		samples = other->samples + finding->samples;
		processes = other->processes + 1;
		if (finding->samples > other->samples / other->processes)
			*other = *finding;
		other->samples = samples;
		other->processes = processes;
		return 0;
	}
	other = memphis_append(findings->list, findings->count, findings->room);
	if (!other)
		return -ENOMEM;
	*other = *finding;
	return 0;
}

#define TAKES(mask, source) (!(mask) || (mask) >> MEMPHIS_SOURCE_##source & 1)

static int look_at(struct diagnosis *diagnosis, const struct memphis_closeup *closeup)
{
	const uint16_t caches = 1 << MEMPHIS_SOURCE_L1 | 1 << MEMPHIS_SOURCE_L2 | 1 << MEMPHIS_SOURCE_L3 |
				1 << MEMPHIS_SOURCE_PEER_CACHE;
	const struct memphis_select_kind *kind = diagnosis->rows->view->selection->kind;
	struct look look = {.diagnosis = diagnosis,
			    .closeup = closeup,
			    .process = &diagnosis->profile->processes.list[closeup->process]};
	struct memphis_finding finding;
	int rc = 0;

	if (kind->sources && !(kind->sources & caches)) {
		rc = memphis_placement_make(&look.placement, closeup);
		if (!rc && find_placement(&look, &finding))
			rc = add_finding(diagnosis, closeup, &finding);
		memphis_placement_close(&look.placement);
	}
	if (!rc && TAKES(kind->sources, PEER_CACHE)) {
		begin_finding(&look, &finding);
		if (memphis_find_sharing(closeup, &finding)) {
			find_regions(closeup, false, &finding);
			rc = add_finding(diagnosis, closeup, &finding);
		}
	}
	return rc;
}

static void count_samples(struct diagnosis *diagnosis)
{
	const struct memphis_profile *profile = diagnosis->profile;
	const struct memphis_closeup *closeup;
	const struct memphis_process *process;
	size_t i;

	for (process = profile->processes.list; process < profile->processes.list + profile->processes.count;
	     process++)
		for (i = 0; i < process->thread_count; i++)
			diagnosis->samples += process->threads[i].read;
	for (closeup = profile->closeups; closeup < profile->closeups + profile->closeup_count; closeup++)
		for (i = 0; i < closeup->use_count; i++)
			diagnosis->stores |= closeup->uses[i].stores > 0;
}

/* Of so many samples one was looked at; of a few processes more. */
static uint64_t looked_at_one_in(const struct diagnosis *diagnosis)
{
	const struct memphis_profile *profile = diagnosis->profile;
	uint64_t one_in = 1;
	size_t i;

	for (i = 0; i < profile->closeup_count; i++)
		if (profile->closeups[i].one_in > one_in)
			one_in = profile->closeups[i].one_in;
	return one_in;
}

static int compare_findings(const void *a, const void *b)
{
	const struct memphis_finding *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	if (x->variable != y->variable)
		return x->variable < y->variable ? -1 : 1;
	return (x->pattern > y->pattern) - (x->pattern < y->pattern);
}

/* Of as many independent samples as were looked at; others may have been looked at than exactly one in so many. */
static struct memphis_share share_of(uint64_t part, uint64_t whole, uint64_t one_in)
{
	if (whole < part)
		whole = part;
	return memphis_share_of(part / one_in, whole / one_in);
}

/* Drops what is not worth a word, and words the rest. */
static int judge(struct diagnosis *diagnosis)
{
	struct memphis_findings *findings = diagnosis->findings;
	uint64_t one_in = looked_at_one_in(diagnosis);
	struct memphis_finding *finding;
	size_t kept = 0, i;
	int rc = 0;

	for (i = 0; i < findings->count; i++) {
		finding = &findings->list[i];
		finding->share = share_of(finding->samples, diagnosis->rows->selected, one_in);
		if (finding->share.low >= MEMPHIS_FINDING_SHARE &&
		    share_of(finding->samples, diagnosis->samples, one_in).low >= MEMPHIS_FINDING_OF_ALL)
			findings->list[kept++] = *finding;
	}
	findings->count = kept;
	if (findings->count)
		qsort(findings->list, findings->count, sizeof(*findings->list), compare_findings);
	for (i = 0; !rc && i < findings->count; i++) {
		rc = find_line(diagnosis, &findings->list[i]);
		if (!rc)
			rc = memphis_finding_word(&findings->list[i], diagnosis->profile);
	}
	return rc;
}

int memphis_diagnose(struct memphis_findings *findings, const struct memphis_rows *rows)
{
	struct diagnosis diagnosis = {.findings = findings, .rows = rows, .profile = rows->profile};
	size_t i;
	int rc = 0;

	memset(findings, 0, sizeof(*findings));
	count_samples(&diagnosis);
	for (i = 0; !rc && i < rows->profile->closeup_count; i++)
		rc = look_at(&diagnosis, &rows->profile->closeups[i]);
	return rc ? rc : judge(&diagnosis);
}

void memphis_findings_close(struct memphis_findings *findings)
{
	size_t i;

	for (i = 0; i < findings->count; i++) {
		free(findings->list[i].sentence);
		free(findings->list[i].advice);
	}
	free(findings->list);
	memset(findings, 0, sizeof(*findings));
}
