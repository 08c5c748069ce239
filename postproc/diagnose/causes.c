// SPDX-License-Identifier: BSD-3-Clause
#include "diagnose/causes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "diagnose/finding_text.h"
#include "diagnose/undecided.h"
#include "profile/variable_names.h"

/*
 * The cause names the thread that touched the memory first only if this thread is known for at least this share of its
 * samples.
 */
#define TOUCHER_KNOWN 0.75

/* What the findings of one cause have in common. It is a member of struct key, whose values are compared as bytes. */
enum property {
	OF_PATTERN = 1,
	OF_PROCESS,
	OF_LOOP,
	OF_OBJECT,
	OF_INITIALISATION,
	OF_UNKNOWN_START,
	OF_NODE
};

struct key {
	uint32_t pattern, home, thread, apart, property;
	uint32_t object, function, path, line;
	uint32_t text; /* name of an object, as a number in grouping->names */
};

struct grouping {
	const struct memphis_profile *profile;
	const struct memphis_merged *merged;
	struct memphis_strings keys, names;
	uint32_t *first; /* by number of a key: the first finding with this key, plus 1 */
	/* by finding: another finding of its group, or itself if it is the root of the group (disjoint-set forest) */
	uint32_t *parent;
	size_t first_room;
	bool decided; /* an undecided finding is being compared with decided findings only */
	bool weak;    /* groups that are not significant alone are being joined */
};

/* Sets the object, the function and the source path of the key. Sets the line only if the function is unknown. */
static void set_function_key(const struct memphis_profile *profile, uint32_t instruction, struct key *key)
{
	const struct memphis_profile_frame *frame = memphis_program_frame(profile, instruction);

	key->object = profile->instructions[memphis_program_instruction(profile, instruction)].object;
	key->function = frame->function;
	key->path = frame->path;
	key->line = frame->function ? 0 : frame->line;
}

static bool is_same_function(const struct memphis_profile *profile, uint32_t a, uint32_t b)
{
	struct key x = {0}, y = {0};

	set_function_key(profile, a, &x);
	set_function_key(profile, b, &y);
	return !memcmp(&x, &y, sizeof(x));
}

static uint32_t find_root(const struct grouping *grouping, uint32_t finding)
{
	while (grouping->parent[finding] != finding)
		finding = grouping->parent[finding];
	return finding;
}

/* Returns a pointer to the element of grouping->first for this key, or NULL if memory is exhausted. */
static uint32_t *find_first(struct grouping *grouping, const struct key *key)
{
	const uint32_t number = memphis_strings_add(&grouping->keys, key, sizeof(*key));
	const size_t before = grouping->first_room;

	if (number == MEMPHIS_NO_STRING)
		return NULL;
	if (number >= before) {
		if (memphis_grow(&grouping->first, &grouping->first_room, number + 1,
				 sizeof(*grouping->first)))
			return NULL;
		memset(grouping->first + before, 0,
		       (grouping->first_room - before) * sizeof(*grouping->first));
	}
	return &grouping->first[number];
}

static void unite_groups(struct grouping *grouping, uint32_t finding, uint32_t other)
{
	grouping->parent[find_root(grouping, finding)] = find_root(grouping, other);
}

/* Joins the finding with the group of findings that have the same key. Returns 0 or -ENOMEM. */
static int join_equal_keys(struct grouping *grouping, uint32_t finding, const struct key *key)
{
	uint32_t *first = find_first(grouping, key);

	if (!first)
		return -ENOMEM;
	if (*first)
		unite_groups(grouping, finding, *first - 1);
	else
		*first = finding + 1;
	return 0;
}

/*
 * Joins an undecided finding with a decided one that has the same key, apart from the pattern. The undecided finding
 * must be able to have the pattern of the decided one. Returns 1 if it joined them, 0 if not, or -ENOMEM.
 */
static int join_decided(struct grouping *grouping, uint32_t finding, struct key key)
{
	const struct memphis_choice *choice;
	const uint32_t *first;

	for (choice = memphis_choices; choice < memphis_choices + MEMPHIS_CHOICES; choice++) {
		if (!memphis_finding_may_be(&grouping->merged->list[finding], choice))
			continue;
		key.pattern = choice->pattern;
		key.apart = choice->apart;
		first = find_first(grouping, &key);
		if (!first)
			return -ENOMEM;
		if (*first) {
			unite_groups(grouping, finding, *first - 1);
			return 1;
		}
	}
	return 0;
}

/*
 * Joins the finding with those that have the same key, or only with decided findings if grouping->decided is set.
 * Returns 1 if an undecided finding has found its group, so that the search is over. Otherwise returns 0 or -ENOMEM.
 */
static int join_same_key(struct grouping *grouping, uint32_t finding, const struct key *key)
{
	return grouping->decided ? join_decided(grouping, finding, *key)
				 : join_equal_keys(grouping, finding, key);
}

static bool has_known_code(const struct memphis_profile *profile, uint32_t instruction)
{
	const struct memphis_profile_frame *frame;

	if (instruction == MEMPHIS_NONE)
		return false;
	frame = memphis_program_frame(profile, instruction);
	return frame->function || frame->line;
}

/* Joins findings in the same function, whichever variables it accesses, because the remedy is to change its loop. */
static int join_loop(struct grouping *grouping, uint32_t number, struct key key)
{
	const struct memphis_finding *finding = &grouping->merged->list[number];

	if (!has_known_code(grouping->profile, finding->instruction))
		return 0;
	key.property = OF_LOOP;
	set_function_key(grouping->profile, finding->instruction, &key);
	return join_same_key(grouping, number, &key);
}

/* Joins findings about variables that the same function initialises. */
static int join_initialisation(struct grouping *grouping, uint32_t number, struct key key)
{
	const struct memphis_finding *finding = &grouping->merged->list[number];

	if (finding->initialised < MEMPHIS_INITIALISED_SEVERAL ||
	    !has_known_code(grouping->profile, finding->initialised_at))
		return 0;
	key.property = OF_INITIALISATION;
	set_function_key(grouping->profile, finding->initialised_at, &key);
	return join_same_key(grouping, number, &key);
}

/* Joins findings about members of the same object. */
static int join_object(struct grouping *grouping, uint32_t number, struct key key)
{
	const struct memphis_profile *profile = grouping->profile;
	const struct memphis_variable *variable =
		&profile->variables[grouping->merged->list[number].variable];
	const char *name = memphis_profile_text(profile, variable->name);
	const size_t length = memphis_owner_length(name);

	if (!length)
		return 0;
	key.property = OF_OBJECT;
	key.text = memphis_strings_add(&grouping->names, name, length);
	return key.text == MEMPHIS_NO_STRING ? -ENOMEM : join_same_key(grouping, number, &key);
}

/* For each pattern: which findings a single change of the program fixes, so that they have the same cause. */
static const struct remedy {
	/* all findings with the pattern, because the remedy changes the environment of the program */
	bool all;
	bool of_home;   /* only findings whose pages have the same home node */
	bool of_thread; /* only findings about the same thread */
	bool of_loop;   /* findings in the same function */
	/* findings about members of one object, and about variables that the same function initialises */
	bool of_variable;
	bool of_start; /* findings about variables whose initialisation was not sampled */
} remedies[MEMPHIS_PATTERNS] = {
	[MEMPHIS_PATTERN_FIRST_TOUCH] = {.of_home = true,
					 .of_loop = true,
					 .of_variable = true,
					 .of_start = true},
	[MEMPHIS_PATTERN_PARTITION] = {.of_home = true, .of_loop = true, .of_variable = true},
	[MEMPHIS_PATTERN_SERIAL] = {.of_thread = true, .of_loop = true},
	[MEMPHIS_PATTERN_SCHEDULE] = {.of_loop = true},
	[MEMPHIS_PATTERN_MOVED_THREADS] = {.all = true},
	[MEMPHIS_PATTERN_PING_PONG] = {.of_thread = true, .all = true},
	[MEMPHIS_PATTERN_MOVED_PAGES] = {.all = true},
	[MEMPHIS_PATTERN_MOVED_TO_USERS] = {.of_home = true, .of_loop = true, .of_variable = true},
	[MEMPHIS_PATTERN_READ_SHARED] = {.of_home = true, .of_loop = true, .of_variable = true},
	[MEMPHIS_PATTERN_UNDECIDED] = {.of_home = true,
				       .of_loop = true,
				       .of_variable = true,
				       .of_start = true},
	[MEMPHIS_PATTERN_MEMORY_ONLY] = {.all = true, .of_home = true},
	[MEMPHIS_PATTERN_STRIDED] = {.of_loop = true},
	[MEMPHIS_PATTERN_INDIRECT] = {.of_loop = true},
};

/*
 * Joins the finding with all findings that the same change of the program would fix. Returns the same values as
 * join_same_key().
 */
static int join_by_remedy(struct grouping *grouping, uint32_t number)
{
	const struct memphis_finding *finding = &grouping->merged->list[number];
	const struct remedy *remedy = &remedies[finding->pattern];
	/*
	 * The home node is ignored if several processes have the finding, because the same variable can be on another
	 * node in each process.
	 */
	const bool of_home = remedy->of_home && (remedy->all || finding->processes < 2);
	struct key key = {.pattern = finding->pattern,
			  .home = of_home ? finding->home : 0,
			  .thread = remedy->of_thread ? finding->thread : 0,
			  .apart = finding->apart,
			  .property = OF_PATTERN};
	const struct key process = {.pattern = finding->pattern, .property = OF_PROCESS};
	int rc;

	if (grouping->weak) {
		key.property = OF_NODE;
		return remedy->of_home && remedy->of_variable ? join_same_key(grouping, number, &key) : 0;
	}
	rc = remedy->all ? join_same_key(grouping, number, &key) : 0;
	/* If a process has only one thread, the remedy is to bind its whole memory, so all its findings have the same cause. */
	if (!rc && memphis_finding_needs_binding(finding, grouping->profile))
		rc = join_same_key(grouping, number, &process);
	if (!rc && remedy->of_loop)
		rc = join_loop(grouping, number, key);
	if (!rc && remedy->of_variable)
		rc = join_object(grouping, number, key);
	if (!rc && remedy->of_variable)
		rc = join_initialisation(grouping, number, key);
	if (!rc && remedy->of_start && finding->initialised < MEMPHIS_INITIALISED_SEVERAL) {
		key.property = OF_UNKNOWN_START;
		rc = join_same_key(grouping, number, &key);
	}
	return rc;
}

/*
 * Joins all decided findings. Then joins each undecided finding with a decided one or, if there is none, with other
 * undecided ones. Skips findings i with left_out[i] set. `left_out` may be NULL. Returns 0 or -ENOMEM.
 */
static int join_findings(struct grouping *grouping, const bool *left_out)
{
	const struct memphis_merged *merged = grouping->merged;
	uint32_t i;
	int rc = 0;

	for (i = 0; rc >= 0 && i < merged->count; i++)
		if (!(left_out && left_out[i]) && merged->list[i].pattern != MEMPHIS_PATTERN_UNDECIDED)
			rc = join_by_remedy(grouping, i);
	for (i = 0; rc >= 0 && i < merged->count; i++) {
		if ((left_out && left_out[i]) || merged->list[i].pattern != MEMPHIS_PATTERN_UNDECIDED)
			continue;
		grouping->decided = true;
		rc = join_by_remedy(grouping, i);
		grouping->decided = false;
		if (!rc)
			rc = join_by_remedy(grouping, i);
	}
	return rc < 0 ? rc : 0;
}

/*
 * Joins groups that are not significant alone, if they have the same pattern and home node, and the same answer to
 * whether each node uses its own part. Returns 0 or -ENOMEM.
 */
static int join_weak_groups(struct grouping *grouping, memphis_is_enough *is_enough, const void *context)
{
	const struct memphis_merged *merged = grouping->merged;
	struct memphis_finding *sums = calloc(merged->count + 1, sizeof(*sums)), *sum;
	bool *enough = calloc(merged->count + 1, sizeof(*enough));
	size_t i;
	int rc = -ENOMEM;

	for (i = 0; sums && i < merged->count; i++) {
		sum = &sums[find_root(grouping, (uint32_t)i)];
		sum->pattern = merged->list[i].pattern;
		sum->samples += merged->list[i].samples;
		sum->doubt_ppm += merged->list[i].doubt_ppm;
		if (merged->list[i].one_in > sum->one_in)
			sum->one_in = merged->list[i].one_in;
	}
	if (sums && enough) {
		for (i = 0; i < merged->count; i++)
			enough[i] = is_enough(context, &sums[find_root(grouping, (uint32_t)i)]);
		grouping->weak = true;
		rc = join_findings(grouping, enough);
	}
	free(sums);
	free(enough);
	return rc;
}

/* A finding, with the root of its group. */
struct grouped {
	uint32_t root;
	const struct memphis_finding *finding;
};

static int compare_grouped(const void *a, const void *b)
{
	const struct grouped *x = a, *y = b;

	return memphis_order(x->root, y->root) ?:
	       memphis_order(y->finding->samples, x->finding->samples) ?:
	       memphis_order(x->finding->variable, y->finding->variable) ?:
	       memphis_order(x->finding->instruction, y->finding->instruction);
}

/*
 * Returns whether both findings are about the same variable, or one is about a pointer and the other about the blocks
 * that it points to, for example "rows" and "rows[]".
 */
static bool is_one_variable(const struct memphis_profile *profile, const struct memphis_finding *a,
			    const struct memphis_finding *b)
{
	const struct memphis_variable *x = &profile->variables[a->variable],
				      *y = &profile->variables[b->variable];
	const char *name = memphis_profile_text(profile, x->name),
		   *other = memphis_profile_text(profile, y->name);
	const size_t length = memphis_base_length(name);

	return a->variable == b->variable ||
	       (x->declared == y->declared && length == memphis_base_length(other) &&
		strlen(name) != strlen(other) && !strncmp(name, other, length));
}

/*
 * Adds the part to the list of parts. If the list already has a part about the same variable, from another source
 * line, adds the samples to it.
 */
static void add_part(const struct memphis_profile *profile, struct memphis_finding *parts, size_t *count,
		     const struct memphis_finding *part)
{
	size_t i;

	for (i = 0; i < *count; i++) {
		if (!is_one_variable(profile, &parts[i], part))
			continue;
		parts[i].samples += part->samples;
		parts[i].doubt_ppm += part->doubt_ppm;
		return;
	}
	parts[(*count)++] = *part;
}

static int compare_parts(const void *a, const void *b)
{
	const struct memphis_finding *x = a, *y = b;

	return memphis_order(y->samples, x->samples) ?: memphis_order(x->variable, y->variable);
}

static void merge_nodes(struct memphis_finding *cause, const struct memphis_finding *part)
{
	size_t i, at;

	for (i = 0; i < part->node_count; i++) {
		for (at = 0; at < cause->node_count && cause->nodes[at] < part->nodes[i]; at++)
			;
		if ((at < cause->node_count && cause->nodes[at] == part->nodes[i]) ||
		    cause->node_count == MEMPHIS_FINDING_NODES)
			continue;
		memmove(&cause->nodes[at + 1], &cause->nodes[at],
			(cause->node_count - at) * sizeof(*cause->nodes));
		cause->nodes[at] = part->nodes[i];
		cause->node_count++;
	}
}

/*
 * Clears the home node, the node and the thread of the cause if the finding has different ones. Compares the home node
 * only if both are about the same process, because a cause names the process in which its first variable has the most
 * samples.
 */
static void clear_differences(struct memphis_finding *cause, const struct memphis_finding *finding)
{
	if (cause->home != finding->home && cause->process == finding->process)
		cause->home = MEMPHIS_NODE_UNKNOWN;
	if (cause->node != finding->node)
		cause->node = MEMPHIS_NODE_UNKNOWN;
	if (cause->thread != finding->thread) {
		cause->thread = MEMPHIS_NONE;
		cause->thread_share = 0;
	}
}

/* Returns the mean of the share of the cause and that of a further finding, weighted by their samples. */
static double mean_share(const struct memphis_finding *cause, double share,
			 const struct memphis_finding *finding, double other)
{
	return (share * (double)cause->samples + other * (double)finding->samples) /
	       (double)(cause->samples + finding->samples);
}

/* Adds the numbers of a further finding to its cause, and clears the members that differ. */
static void add_to_cause(const struct memphis_profile *profile, struct memphis_finding *cause,
			 const struct memphis_finding *finding)
{
	double all = 0;

	clear_differences(cause, finding);
	if (cause->thread_share > 0 && finding->thread_share > 0)
		all = (double)cause->samples / cause->thread_share +
		      (double)finding->samples / finding->thread_share;
	cause->home_share = mean_share(cause, cause->home_share, finding, finding->home_share);
	cause->samples += finding->samples;
	cause->apart_odds += finding->apart_odds;
	cause->read_odds += finding->read_odds;
	cause->doubt_ppm += finding->doubt_ppm;
	if (finding->processes > cause->processes)
		cause->processes = finding->processes;
	if (finding->process == cause->process)
		cause->worst += finding->worst;
	if (finding->one_in > cause->one_in)
		cause->one_in = finding->one_in;
	if (all > 0)
		cause->thread_share = (double)cause->samples / all;
	merge_nodes(cause, finding);
	if (finding->initialised >= MEMPHIS_INITIALISED_SEVERAL &&
	    cause->initialised == MEMPHIS_INITIALISED_AT &&
	    !is_same_function(profile, finding->initialised_at, cause->initialised_at))
		cause->initialised = MEMPHIS_INITIALISED_SEVERAL;
}

/*
 * Sets cause->touched_by to the thread that stored first to the variables. Leaves it unknown if the variables have
 * different first threads, or if the first thread is known for too few samples.
 */
static void set_first_toucher(struct memphis_finding *cause, const struct grouped *group, size_t count)
{
	const struct memphis_finding *finding;
	uint32_t toucher = MEMPHIS_NONE;
	uint64_t known = 0;
	size_t i;

	cause->touched_by = MEMPHIS_NONE;
	for (i = 0; i < count; i++) {
		finding = group[i].finding;
		if (finding->process != cause->process || finding->touched_by == MEMPHIS_NONE)
			continue;
		if (toucher != MEMPHIS_NONE && toucher != finding->touched_by)
			return;
		toucher = finding->touched_by;
		known += finding->samples;
	}
	if ((double)known >= TOUCHER_KNOWN * (double)cause->samples)
		cause->touched_by = toucher;
}

/* Makes the cause of a group and its list of parts, one for each variable. Returns the number of parts. */
static size_t make_cause(const struct memphis_profile *profile, struct memphis_finding *cause,
			 struct memphis_finding *parts, const struct grouped *group, size_t count)
{
	size_t part_count = 0, i;

	*cause = *group->finding;
	add_part(profile, parts, &part_count, group->finding);
	for (i = 1; i < count; i++) {
		add_part(profile, parts, &part_count, group[i].finding);
		add_to_cause(profile, cause, group[i].finding);
	}
	set_first_toucher(cause, group, count);
	memphis_finding_decide(cause);
	memphis_sort(parts, part_count, compare_parts);
	cause->parts = parts;
	cause->part_count = part_count;
	return part_count;
}

static int make_groups(struct memphis_causes *causes, const struct grouping *grouping)
{
	const struct memphis_merged *merged = grouping->merged;
	struct grouped *grouped = calloc(merged->count + 1, sizeof(*grouped));
	struct memphis_finding *parts = causes->parts;
	size_t first, end, i;

	if (!grouped)
		return -ENOMEM;
	for (i = 0; i < merged->count; i++)
		grouped[i] = (struct grouped){find_root(grouping, (uint32_t)i), &merged->list[i]};
	memphis_sort(grouped, merged->count, compare_grouped);
	for (first = 0; first < merged->count; first = end) {
		for (end = first; end < merged->count && grouped[end].root == grouped[first].root; end++)
			causes->of[grouped[end].finding->number] = (uint32_t)causes->count;
		parts += make_cause(grouping->profile, &causes->list[causes->count], parts, &grouped[first],
				    end - first);
		causes->list[causes->count].number = (uint32_t)causes->count;
		causes->count++;
	}
	free(grouped);
	return 0;
}

int memphis_causes_make(struct memphis_causes *causes, const struct memphis_profile *profile,
			const struct memphis_merged *merged, memphis_is_enough *is_enough,
			const void *context)
{
	struct grouping grouping = {.profile = profile, .merged = merged};
	uint32_t i;
	int rc = 0;

	memset(causes, 0, sizeof(*causes));
	causes->list = calloc(merged->count + 1, sizeof(*causes->list));
	causes->parts = calloc(merged->count + 1, sizeof(*causes->parts));
	causes->of = calloc(merged->count + 1, sizeof(*causes->of));
	grouping.parent = calloc(merged->count + 1, sizeof(*grouping.parent));
	if (!causes->list || !causes->parts || !causes->of || !grouping.parent)
		rc = -ENOMEM;
	for (i = 0; !rc && i < merged->count; i++)
		grouping.parent[i] = i;
	if (!rc)
		rc = join_findings(&grouping, NULL);
	if (!rc)
		rc = join_weak_groups(&grouping, is_enough, context);
	if (!rc)
		rc = make_groups(causes, &grouping);
	memphis_strings_close(&grouping.keys);
	memphis_strings_close(&grouping.names);
	free(grouping.first);
	free(grouping.parent);
	return rc;
}

void memphis_causes_close(struct memphis_causes *causes)
{
	free(causes->list);
	free(causes->parts);
	free(causes->of);
	memset(causes, 0, sizeof(*causes));
}

static bool has_part(const struct memphis_finding *finding, uint32_t variable)
{
	size_t i;

	for (i = 0; i < finding->part_count; i++)
		if (finding->parts[i].variable == variable)
			return true;
	return false;
}

/* Returns whether the cause is a placement pattern of a variable of the stride that is used in the same function. */
static bool is_placement_of_loop(const struct memphis_profile *profile, const struct memphis_finding *cause,
				 const struct memphis_finding *stride)
{
	size_t i;

	if (memphis_patterns[cause->pattern].among != MEMPHIS_REMOTE_LOADS)
		return false;
	for (i = 0; i < cause->part_count; i++)
		if (cause->parts[i].instruction != MEMPHIS_NONE &&
		    is_same_function(profile, cause->parts[i].instruction, stride->instruction) &&
		    has_part(stride, cause->parts[i].variable))
			return true;
	return false;
}

size_t memphis_causes_join_strides(struct memphis_finding *list, size_t count,
				   const struct memphis_profile *profile, struct memphis_finding *strides)
{
	struct memphis_finding *best;
	size_t joined = 0, kept = 0, i, j;

	for (i = 0; i < count; i++) {
		if (memphis_patterns[list[i].pattern].among != MEMPHIS_FETCHES)
			continue;
		best = NULL;
		for (j = 0; j < count; j++)
			if (is_placement_of_loop(profile, &list[j], &list[i]) &&
			    (!best || list[j].samples > best->samples))
				best = &list[j];
		if (!best || best->stride)
			continue;
		strides[joined] = list[i];
		best->stride = &strides[joined++];
		list[i].samples = 0;
	}
	for (i = 0; i < count; i++)
		if (list[i].samples)
			list[kept++] = list[i];
	return kept;
}
