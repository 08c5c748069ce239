// SPDX-License-Identifier: BSD-3-Clause
/* Compares runs: counts by node, variable and line, and the significance of their changes. */
#include "view/compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "name/names.h"
#include "base/statistics.h"

#define EXACT_MAX    1000 /* p is exact up to this number of samples of both sides */
#define SIGNIFICANCE 0.05

/* Returns the cumulative binomial distribution: the probability of at most `k` successes in `n` trials of probability `p`. */
static double binomial_at_most(uint64_t k, uint64_t n, double p)
{
	double sum = 0;
	uint64_t i;

	for (i = 0; i <= k; i++)
		sum += exp(lgamma((double)n + 1) - lgamma((double)i + 1) - lgamma((double)(n - i) + 1) +
			   (double)i * log(p) + (double)(n - i) * log1p(-p));
	return fmin(1, sum);
}

/* Returns the two-sided p-value of `k` successes in `n` trials of probability `p`. */
static double probability(uint64_t k, uint64_t n, double p)
{
	double mean = (double)n * p, low, high;

	if (!n)
		return 1;
	if (n > EXACT_MAX)
		return erfc(fmax(0, fabs((double)k - mean) - 0.5) / sqrt(2 * mean * (1 - p)));
	low = binomial_at_most(k, n, p);
	high = k ? binomial_at_most(n - k, n, 1 - p) : 1;
	return fmin(1, 2 * fmin(low, high));
}

/* Returns the ratio of the rates (second to first) if the second side has `share` of all samples. */
static double ratio_of(double share, double first_exposure, double second_exposure)
{
	return share < 1 ? share / (1 - share) * first_exposure / second_exposure : INFINITY;
}

struct memphis_change memphis_change_of(uint64_t first, double first_exposure, uint64_t second,
					double second_exposure)
{
	struct memphis_share share = memphis_share_of(second, first + second);
	struct memphis_change change = {.ratio = NAN, .high = INFINITY, .p = 1};

	if (!(first + second) || !(first_exposure > 0) || !(second_exposure > 0))
		return change;
	change.ratio = ratio_of(share.share, first_exposure, second_exposure);
	change.low = ratio_of(share.low, first_exposure, second_exposure);
	change.high = ratio_of(share.high, first_exposure, second_exposure);
	change.p = probability(second, first + second, second_exposure / (first_exposure + second_exposure));
	return change;
}

void memphis_side_measure(struct memphis_side *side)
{
	const struct memphis_process *process;
	uint64_t active, period, samples = 0, accesses = 0;
	const char *count, *filter, *event;
	size_t i, j;

	for (i = 0; i < side->profile.processes.count; i++) {
		process = &side->profile.processes.list[i];
		active = memphis_setting_number(&process->settings, "active_ns", 0);
		if ((double)active / 1e9 > side->seconds)
			side->seconds = (double)active / 1e9;
		count = memphis_setting(&process->settings, "count");
		period = memphis_setting_number(&process->settings, "period", 0);
		filter = memphis_setting(&process->settings, "hardware_filter");
		event = memphis_setting(&process->settings, "event");
		/* No count contains the loads that a filter of the hardware dropped, or that other events would have sampled. */
		if ((count && !strcmp(count, "cycles")) || (filter && strcmp(filter, "none") != 0) ||
		    (event && strcmp(event, "load-latency") != 0))
			continue;
		for (j = 0; j < process->thread_count; j++)
			side->operations +=
				(double)process->threads[j].accounting.interrupts * (double)period;
	}
	for (i = 0; i < side->rows.pair_count; i++) {
		samples += side->rows.matrix[i].sum.measure.count;
		accesses += side->rows.matrix[i].sum.measure.accesses;
	}
	memphis_lpi_find(&side->lpi, &side->rows.waiting, &side->profile, side->rows.view->selection);
	side->weight = samples && accesses ? (double)accesses / (double)samples : 1;
}

const struct memphis_kept memphis_kept[MEMPHIS_KEPT] = {
	{"event", "load-latency"},
	{"drop", "none"},
	{"hardware_filter", "none"},
	{"min_latency", "0"},
};

const char *memphis_side_kept(const struct memphis_side *side, size_t which)
{
	const struct memphis_processes *processes = &side->profile.processes;
	const char *value, *first = NULL;
	size_t i;

	for (i = 0; i < processes->count; i++) {
		value = memphis_setting(&processes->list[i].settings, memphis_kept[which].key);
		value = value ? value : memphis_kept[which].preset;
		if (first && strcmp(first, value) != 0)
			return "several";
		first = value;
	}
	return first ? first : memphis_kept[which].preset;
}

bool memphis_compare_kept_alike(const struct memphis_compare *compare, size_t which)
{
	const char *first = memphis_side_kept(&compare->sides[0], which);
	size_t i;

	for (i = 1; i < compare->side_count; i++)
		if (strcmp(first, memphis_side_kept(&compare->sides[i], which)) != 0)
			return false;
	return true;
}

double memphis_side_exposure(const struct memphis_side *side, enum memphis_per per)
{
	double of[MEMPHIS_PERS] = {[MEMPHIS_PER_RUN] = 1,
				   [MEMPHIS_PER_SECOND] = side->seconds,
				   [MEMPHIS_PER_OPERATION] = side->operations};

	return of[per] / side->weight;
}

/* Allocates the counts, changes and waiting of a row, one for each side. */
static int make_numbers(const struct memphis_compare *compare, uint64_t **counts,
			struct memphis_change **changes, struct memphis_waits **waits)
{
	*counts = calloc(compare->side_count, sizeof(**counts));
	*changes = calloc(compare->side_count, sizeof(**changes));
	*waits = calloc(compare->side_count, sizeof(**waits));
	return *counts && *changes && *waits ? 0 : -ENOMEM;
}

static struct memphis_compare_node *node_of(struct memphis_compare *compare, uint32_t number)
{
	struct memphis_compare_node *node;
	size_t at;

	for (at = 0; at < compare->node_count && compare->nodes[at].node <= number; at++)
		if (compare->nodes[at].node == number)
			return &compare->nodes[at];
	if (!memphis_append(compare->nodes, compare->node_count, compare->node_room))
		return NULL;
	node = &compare->nodes[at];
	memmove(node + 1, node, (compare->node_count - 1 - at) * sizeof(*node));
	memset(node, 0, sizeof(*node));
	node->node = number;
	return make_numbers(compare, &node->counts, &node->changes, &node->waits) ? NULL : node;
}

/* Variables are matched by segment and name: allocation sites and addresses change with each build. */
static struct memphis_compare_variable *variable_of(struct memphis_compare *compare,
						    struct memphis_compare_node *node,
						    const struct memphis_variable_row *row)
{
	struct memphis_compare_variable *variable;
	size_t i;

	for (i = 0; i < node->variable_count; i++) {
		variable = &node->variables[i];
		if (!strcmp(variable->name, row->name) && !strcmp(variable->segment, row->segment))
			return variable;
	}
	variable = memphis_append(node->variables, node->variable_count, node->variable_room);
	if (!variable)
		return NULL;
	variable->segment = row->segment;
	variable->name = row->name;
	return make_numbers(compare, &variable->counts, &variable->changes, &variable->waits) ? NULL
											      : variable;
}

static struct memphis_compare_line *line_of(struct memphis_compare *compare,
					    struct memphis_compare_variable *variable,
					    const struct memphis_leaf_row *row)
{
	const char *path = row->path ? row->path : row->object ? row->object : "?";
	struct memphis_compare_line *line;
	size_t i;

	path = memphis_basename(path);
	for (i = 0; i < variable->line_count; i++) {
		line = &variable->lines[i];
		if (line->line == row->line && !strcmp(line->file, path))
			return line;
	}
	line = memphis_append(variable->lines, variable->line_count, variable->line_room);
	if (!line)
		return NULL;
	line->file = path;
	line->function = row->function;
	line->line = row->line;
	return make_numbers(compare, &line->counts, &line->changes, &line->waits) ? NULL : line;
}

static int add_variable(struct memphis_compare *compare, struct memphis_compare_node *node,
			const struct memphis_variable_row *row, size_t side)
{
	struct memphis_compare_variable *variable = variable_of(compare, node, row);
	struct memphis_compare_line *line;
	size_t i;

	if (!variable)
		return -ENOMEM;
	variable->counts[side] += row->sum.measure.count;
	memphis_waits_add(&variable->waits[side], &row->sum.waits);
	memphis_waits_add(&node->waits[side], &row->sum.waits);
	memphis_waits_add(&compare->waits[side], &row->sum.waits);
	for (i = 0; i < row->leaf_count; i++) {
		line = line_of(compare, variable, &row->leaves[i]);
		if (!line)
			return -ENOMEM;
		line->counts[side] += row->leaves[i].sum.measure.count;
		memphis_waits_add(&line->waits[side], &row->leaves[i].sum.waits);
	}
	return 0;
}

static int add_side(struct memphis_compare *compare, size_t side)
{
	const struct memphis_rows *rows = &compare->sides[side].rows;
	struct memphis_compare_node *node;
	size_t i, j;

	for (i = 0; i < rows->node_count; i++) {
		node = node_of(compare, rows->nodes[i].node);
		if (!node)
			return -ENOMEM;
		node->counts[side] += rows->nodes[i].total;
		compare->counts[side] += rows->nodes[i].total;
		for (j = 0; j < rows->nodes[i].variable_count; j++)
			if (add_variable(compare, node, &rows->nodes[i].variables[j], side))
				return -ENOMEM;
	}
	return 0;
}

static void change_all(const struct memphis_compare *compare, const uint64_t *counts,
		       struct memphis_change *changes)
{
	double first = memphis_side_exposure(&compare->sides[0], compare->per);
	size_t i;

	for (i = 1; i < compare->side_count; i++)
		changes[i] = memphis_change_of(counts[0], first, counts[i],
					       memphis_side_exposure(&compare->sides[i], compare->per));
}

static int compare_p(const void *a, const void *b)
{
	const struct memphis_change *const *x = a, *const *y = b;

	return ((*x)->p > (*y)->p) - ((*x)->p < (*y)->p);
}

/* Marks changes as noise by Holm's method (Scandinavian Journal of Statistics 6, 1979), which corrects for multiple comparisons. */
static void find_noise(struct memphis_change **changes, size_t count)
{
	bool noise = false;
	size_t i;

	if (count)
		qsort(changes, count, sizeof(*changes), compare_p);
	for (i = 0; i < count; i++) {
		noise |= changes[i]->p * (double)(count - i) >= SIGNIFICANCE;
		changes[i]->noise = noise;
	}
}

/* The correction is separate for two families of changes: those of variables and those of lines. */
struct families {
	struct memphis_change **variables, **lines;
	size_t variable_count, line_count;
};

static void collect(const struct memphis_compare *compare, struct families *families, size_t side)
{
	size_t i, j, k;

	families->variable_count = families->line_count = 0;
	for (i = 0; i < compare->node_count; i++)
		for (j = 0; j < compare->nodes[i].variable_count; j++) {
			const struct memphis_compare_variable *variable = &compare->nodes[i].variables[j];

			families->variables[families->variable_count++] = &variable->changes[side];
			for (k = 0; k < variable->line_count; k++)
				families->lines[families->line_count++] = &variable->lines[k].changes[side];
		}
}

static int judge(struct memphis_compare *compare)
{
	struct memphis_change **totals = calloc(compare->node_count + 1, sizeof(*totals));
	struct families families = {0};
	size_t variables = 1, lines = 1, side, i, j;
	int rc = -ENOMEM;

	for (i = 0; i < compare->node_count; i++) {
		variables += compare->nodes[i].variable_count;
		for (j = 0; j < compare->nodes[i].variable_count; j++)
			lines += compare->nodes[i].variables[j].line_count;
	}
	families.variables = calloc(variables, sizeof(*families.variables));
	families.lines = calloc(lines, sizeof(*families.lines));
	if (!totals || !families.variables || !families.lines)
		goto release;
	for (side = 1; side < compare->side_count; side++) {
		for (i = 0; i < compare->node_count; i++)
			totals[i] = &compare->nodes[i].changes[side];
		totals[i] = &compare->changes[side];
		find_noise(totals, compare->node_count + 1);
		collect(compare, &families, side);
		find_noise(families.variables, families.variable_count);
		find_noise(families.lines, families.line_count);
	}
	rc = 0;
release:
	free(totals);
	free(families.variables);
	free(families.lines);
	return rc;
}

/* Returns the largest change of any side from the first one, in samples of the first. */
static double moved(const struct memphis_compare *compare, const uint64_t *counts)
{
	size_t last = compare->side_count - 1, i;
	double most = 0, exposure, first = memphis_side_exposure(&compare->sides[0], compare->per);

	for (i = 1; i <= last; i++) {
		exposure = memphis_side_exposure(&compare->sides[i], compare->per);
		if (exposure > 0)
			most = fmax(most, fabs((double)counts[i] * first / exposure - (double)counts[0]));
	}
	return most;
}

static bool all_noise(const struct memphis_compare *compare, const struct memphis_change *changes)
{
	size_t i;

	for (i = 1; i < compare->side_count; i++)
		if (!changes[i].noise)
			return false;
	return true;
}

static int compare_moved(const struct memphis_compare *compare, const uint64_t *a_counts,
			 const struct memphis_change *a_changes, const uint64_t *b_counts,
			 const struct memphis_change *b_changes)
{
	bool a_noise = all_noise(compare, a_changes), b_noise = all_noise(compare, b_changes);
	double a = moved(compare, a_counts), b = moved(compare, b_counts);

	if (a_noise != b_noise)
		return a_noise ? 1 : -1;
	return (a < b) - (a > b);
}

static int compare_lines(const void *a, const void *b, void *context)
{
	const struct memphis_compare_line *x = a, *y = b;
	int rc = compare_moved(context, x->counts, x->changes, y->counts, y->changes);

	if (!rc)
		rc = strcmp(x->file, y->file);
	return rc ? rc : (x->line > y->line) - (x->line < y->line);
}

static int compare_variables(const void *a, const void *b, void *context)
{
	const struct memphis_compare_variable *x = a, *y = b;
	int rc = compare_moved(context, x->counts, x->changes, y->counts, y->changes);

	if (!rc)
		rc = strcmp(x->name, y->name);
	return rc ? rc : strcmp(x->segment, y->segment);
}

static void change_rows(struct memphis_compare *compare)
{
	struct memphis_compare_variable *variable;
	struct memphis_compare_node *node;
	size_t i, j, k;

	change_all(compare, compare->counts, compare->changes);
	for (i = 0; i < compare->node_count; i++) {
		node = &compare->nodes[i];
		change_all(compare, node->counts, node->changes);
		for (j = 0; j < node->variable_count; j++) {
			variable = &node->variables[j];
			change_all(compare, variable->counts, variable->changes);
			for (k = 0; k < variable->line_count; k++)
				change_all(compare, variable->lines[k].counts, variable->lines[k].changes);
		}
	}
}

static void sort(struct memphis_compare *compare)
{
	struct memphis_compare_node *node;
	size_t i, j;

	for (i = 0; i < compare->node_count; i++) {
		node = &compare->nodes[i];
		for (j = 0; j < node->variable_count; j++)
			qsort_r(node->variables[j].lines, node->variables[j].line_count,
				sizeof(*node->variables[j].lines), compare_lines, compare);
		qsort_r(node->variables, node->variable_count, sizeof(*node->variables), compare_variables,
			compare);
	}
}

int memphis_compare_make(struct memphis_compare *compare, struct memphis_side *sides, size_t count,
			 enum memphis_per per)
{
	size_t i;
	int rc;

	memset(compare, 0, sizeof(*compare));
	compare->sides = sides;
	compare->side_count = count;
	compare->per = per;
	rc = make_numbers(compare, &compare->counts, &compare->changes, &compare->waits);
	for (i = 0; !rc && i < count; i++)
		rc = add_side(compare, i);
	if (rc)
		return rc;
	change_rows(compare);
	rc = judge(compare);
	if (!rc)
		sort(compare);
	return rc;
}

static void close_variable(struct memphis_compare_variable *variable)
{
	size_t i;

	for (i = 0; i < variable->line_count; i++) {
		free(variable->lines[i].counts);
		free(variable->lines[i].changes);
		free(variable->lines[i].waits);
	}
	free(variable->lines);
	free(variable->counts);
	free(variable->changes);
	free(variable->waits);
}

void memphis_compare_close(struct memphis_compare *compare)
{
	struct memphis_compare_node *node;
	size_t i, j;

	for (i = 0; i < compare->node_count; i++) {
		node = &compare->nodes[i];
		for (j = 0; j < node->variable_count; j++)
			close_variable(&node->variables[j]);
		free(node->variables);
		free(node->counts);
		free(node->changes);
		free(node->waits);
	}
	free(compare->nodes);
	free(compare->counts);
	free(compare->changes);
	free(compare->waits);
	memset(compare, 0, sizeof(*compare));
}
