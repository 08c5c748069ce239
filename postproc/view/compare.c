// SPDX-License-Identifier: BSD-3-Clause
/* Compares runs: counts by node, variable and line, and the significance of their changes. */
#include "view/compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
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

/* Variables are matched by segment and shown name, without lines and addresses, which change with each build. */
static bool is_same(const struct memphis_compare_row *a, const struct memphis_compare_row *b)
{
	return a->node == b->node && a->line == b->line && !strcmp(a->shown, b->shown) &&
	       !strcmp(a->segment, b->segment);
}

/* Returns the row of `parent` that has the names of `named`; it is added if there is none. Returns NULL if memory is exhausted. */
static struct memphis_compare_row *row_of(const struct memphis_compare *compare,
					  struct memphis_compare_row *parent,
					  const struct memphis_compare_row *named)
{
	struct memphis_compare_row *row;
	size_t i;

	for (i = 0; i < parent->count; i++)
		if (is_same(&parent->rows[i], named))
			return &parent->rows[i];
	row = memphis_append(parent->rows, parent->count, parent->room);
	if (!row)
		return NULL;
	*row = *named;
	row->sides = calloc(compare->side_count, sizeof(*row->sides));
	return row->sides ? row : NULL;
}

static void add(struct memphis_compare_row *row, size_t side, const struct memphis_sum *sum)
{
	row->sides[side].count += sum->measure.count;
	memphis_waits_add(&row->sides[side].waits, &sum->waits);
}

static int add_variable(struct memphis_compare *compare, struct memphis_compare_row *node,
			const struct memphis_variable_row *row, size_t side)
{
	struct memphis_compare_row *variable, *line,
		named = {.node = node->node, .name = row->name, .shown = row->shown, .segment = row->segment};
	const struct memphis_leaf_row *leaf;
	const char *path;

	variable = row_of(compare, node, &named);
	if (!variable)
		return -ENOMEM;
	add(variable, side, &row->sum);
	add(node, side, &row->sum);
	add(&compare->all, side, &row->sum);
	for (leaf = row->leaves; leaf < row->leaves + row->leaf_count; leaf++) {
		path = leaf->path ? leaf->path : leaf->object ? leaf->object : "?";
		named = (struct memphis_compare_row){.node = node->node,
						     .name = memphis_basename(path),
						     .shown = memphis_basename(path),
						     .segment = "",
						     .function = leaf->function,
						     .line = leaf->line};
		line = row_of(compare, variable, &named);
		if (!line)
			return -ENOMEM;
		add(line, side, &leaf->sum);
	}
	return 0;
}

static int add_side(struct memphis_compare *compare, size_t side)
{
	const struct memphis_rows *rows = &compare->sides[side].rows;
	struct memphis_variable_row *row;
	struct memphis_compare_row *node;
	size_t i, j;

	for (i = 0; i < rows->node_count; i++) {
		node = row_of(compare, &compare->all,
			      &(struct memphis_compare_row){
				      .node = rows->nodes[i].node, .name = "", .shown = "", .segment = ""});
		for (j = 0; node && j < rows->nodes[i].variable_count; j++) {
			row = &rows->nodes[i].variables[j];
			row->shown = memphis_shown_name(rows->profile, row->variable);
			if (add_variable(compare, node, row, side))
				return -ENOMEM;
		}
		if (!node)
			return -ENOMEM;
	}
	return 0;
}

static void change(const struct memphis_compare *compare, struct memphis_compare_row *row)
{
	const double first = memphis_side_exposure(&compare->sides[0], compare->per);
	size_t i;

	for (i = 1; i < compare->side_count; i++)
		row->sides[i].change =
			memphis_change_of(row->sides[0].count, first, row->sides[i].count,
					  memphis_side_exposure(&compare->sides[i], compare->per));
	for (i = 0; i < row->count; i++)
		change(compare, &row->rows[i]);
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

	memphis_sort(changes, count, compare_p);
	for (i = 0; i < count; i++) {
		noise |= changes[i]->p * (double)(count - i) >= SIGNIFICANCE;
		changes[i]->noise = noise;
	}
}

/* The correction is separate for each family of changes: of all and of nodes, of variables, and of lines. */
#define FAMILIES 3
struct family {
	struct memphis_change **changes;
	size_t count;
};

static size_t rows_in(const struct memphis_compare_row *row)
{
	size_t count = 1, i;

	for (i = 0; i < row->count; i++)
		count += rows_in(&row->rows[i]);
	return count;
}

/* Collects the changes of the row and those below it, which `depth` rows are around. */
static void collect(const struct memphis_compare_row *row, size_t depth, size_t side,
		    struct family families[FAMILIES])
{
	struct family *family = &families[depth ? depth - 1 : 0];
	size_t i;

	family->changes[family->count++] = &row->sides[side].change;
	for (i = 0; i < row->count; i++)
		collect(&row->rows[i], depth + 1, side, families);
}

static int judge(struct memphis_compare *compare)
{
	struct memphis_change **changes = calloc(FAMILIES * rows_in(&compare->all), sizeof(*changes));
	struct family families[FAMILIES];
	size_t side, i;

	for (side = 1; changes && side < compare->side_count; side++) {
		for (i = 0; i < FAMILIES; i++)
			families[i] = (struct family){changes + i * rows_in(&compare->all), 0};
		collect(&compare->all, 0, side, families);
		for (i = 0; i < FAMILIES; i++)
			find_noise(families[i].changes, families[i].count);
	}
	free(changes);
	return changes ? 0 : -ENOMEM;
}

/* Returns the largest change of any side from the first one, in samples of the first. */
static double moved(const struct memphis_compare *compare, const struct memphis_compare_row *row)
{
	double most = 0, exposure, first = memphis_side_exposure(&compare->sides[0], compare->per);
	size_t i;

	for (i = 1; i < compare->side_count; i++) {
		exposure = memphis_side_exposure(&compare->sides[i], compare->per);
		if (exposure > 0)
			most = fmax(most, fabs((double)row->sides[i].count * first / exposure -
					       (double)row->sides[0].count));
	}
	return most;
}

static bool is_noise(const struct memphis_compare *compare, const struct memphis_compare_row *row)
{
	size_t i;

	for (i = 1; i < compare->side_count && row->sides[i].change.noise; i++)
		;
	return i == compare->side_count;
}

static int compare_rows(const void *a, const void *b, void *compare)
{
	const struct memphis_compare_row *x = a, *y = b;
	const bool x_noise = is_noise(compare, x), y_noise = is_noise(compare, y);
	const double x_moved = moved(compare, x), y_moved = moved(compare, y);
	int rc;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	if (x_noise != y_noise)
		return x_noise ? 1 : -1;
	if (x_moved < y_moved || x_moved > y_moved)
		return x_moved < y_moved ? 1 : -1;
	rc = strcmp(x->shown, y->shown);
	if (!rc)
		rc = strcmp(x->segment, y->segment);
	return rc ? rc : (x->line > y->line) - (x->line < y->line);
}

static void sort(struct memphis_compare *compare, struct memphis_compare_row *row)
{
	size_t i;

	for (i = 0; i < row->count; i++)
		sort(compare, &row->rows[i]);
	if (row->count)
		qsort_r(row->rows, row->count, sizeof(*row->rows), compare_rows, compare);
}

/* Tells variables of one name apart in the same way on all sides. */
static int name_alike(struct memphis_side *sides, size_t count)
{
	struct memphis_profile **profiles = calloc(count, sizeof(*profiles));
	size_t i;
	int rc;

	if (!profiles)
		return -ENOMEM;
	for (i = 0; i < count; i++)
		profiles[i] = &sides[i].profile;
	rc = memphis_shown_names_find(profiles, count);
	free(profiles);
	return rc;
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
	compare->all = (struct memphis_compare_row){
		.name = "", .shown = "", .segment = "", .sides = calloc(count, sizeof(*compare->all.sides))};
	rc = compare->all.sides ? name_alike(sides, count) : -ENOMEM;
	for (i = 0; !rc && i < count; i++)
		rc = add_side(compare, i);
	if (rc)
		return rc;
	change(compare, &compare->all);
	rc = judge(compare);
	if (!rc)
		sort(compare, &compare->all);
	return rc;
}

static void close_row(struct memphis_compare_row *row)
{
	size_t i;

	for (i = 0; i < row->count; i++)
		close_row(&row->rows[i]);
	free(row->rows);
	free(row->sides);
}

void memphis_compare_close(struct memphis_compare *compare)
{
	close_row(&compare->all);
	memset(compare, 0, sizeof(*compare));
}
