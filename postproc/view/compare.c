// SPDX-License-Identifier: BSD-3-Clause
/*
 * Compares runs, which are grouped into sides. Counts samples by node, variable and line, and tests whether changes
 * are significant.
 */
#include "view/compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "name/names.h"
#include "base/statistics.h"
#include "read/stands_for.h"

#define EXACT_MAX 1000 /* p is exact if both sides together have at most this number of samples */

#define LEAST_DEGREES 0.01 /* with fewer degrees of freedom than this, the dispersion is unknown */
#define BISECTIONS    100

/*
 * Returns the cumulative binomial distribution, which is the probability of at most `k` successes in `n` trials with
 * success probability `p`.
 */
static double binomial_cdf(uint64_t k, uint64_t n, double p)
{
	double sum = 0;
	uint64_t i;

	for (i = 0; i <= k; i++)
		sum += exp(lgamma((double)n + 1) - lgamma((double)i + 1) - lgamma((double)(n - i) + 1) +
			   (double)i * log(p) + (double)(n - i) * log1p(-p));
	return fmin(1, sum);
}

/* Returns the two-sided p-value of `k` successes in `n` trials with success probability `p`. */
static double binomial_p_value(uint64_t k, uint64_t n, double p)
{
	double mean = (double)n * p, low, high;

	if (!n)
		return 1;
	if (n > EXACT_MAX)
		return erfc(fmax(0, fabs((double)k - mean) - 0.5) / sqrt(2 * mean * (1 - p)));
	low = binomial_cdf(k, n, p);
	high = k ? binomial_cdf(n - k, n, 1 - p) : 1;
	return fmin(1, 2 * fmin(low, high));
}

/*
 * Returns the ratio of the second rate to the first one, if the second side has `share` of all samples. A rate is a
 * count divided by its exposure.
 */
static double rate_ratio(double share, double first_exposure, double second_exposure)
{
	return share < 1 ? share / (1 - share) * first_exposure / second_exposure : INFINITY;
}

struct memphis_change memphis_change_of(uint64_t first, double first_exposure, uint64_t second,
					double second_exposure)
{
	struct memphis_share share = memphis_share_of(second, first + second);
	struct memphis_change change = {.ratio = NAN, .high = INFINITY, .p = 1};

	if (!(first_exposure > 0) || !(second_exposure > 0))
		return change;
	change.ratio = 1;
	if (!(first + second))
		return change;
	change.ratio = rate_ratio(share.share, first_exposure, second_exposure);
	change.low = rate_ratio(share.low, first_exposure, second_exposure);
	change.high = rate_ratio(share.high, first_exposure, second_exposure);
	change.p = binomial_p_value(second, first + second,
				    second_exposure / (first_exposure + second_exposure));
	return change;
}

bool memphis_change_is_open(const struct memphis_change *change)
{
	return change->low <= 1 && change->high >= 1;
}

struct memphis_visible memphis_change_visible(const struct memphis_change *change)
{
	struct memphis_visible visible = {.above = INFINITY};

	if (change->low > 0)
		visible.above = change->ratio / change->low;
	if (!isinf(change->high) && change->high > 0)
		visible.below = change->ratio / change->high;
	return visible;
}

/* Returns the number of equal terms that have the same sum and the same variance as the given terms. */
static uint64_t equivalent_term_count(double sum, double squares)
{
	return squares > 0 ? (uint64_t)llround(sum * sum / squares) : 0;
}

struct memphis_change memphis_change_of_sums(double first, double first_squares, double second,
					     double second_squares)
{
	const double first_term = first > 0 ? first_squares / first : second_squares / second,
		     second_term = second > 0 ? second_squares / second : first_term;
	struct memphis_change change = {.ratio = 1, .high = INFINITY, .p = 1};

	if (!(first > 0) && !(second > 0))
		return change;
	change = memphis_change_of(equivalent_term_count(first, first_squares), 1 / first_term,
				   equivalent_term_count(second, second_squares), 1 / second_term);
	change.ratio = first > 0 ? second / first : INFINITY;
	return change;
}

/* Returns the sum of the samples and of the exposures of a side's runs. */
static struct memphis_compared_samples sum_samples(const struct memphis_compared_samples *runs, size_t count)
{
	struct memphis_compared_samples sum = {0};
	size_t i;

	for (i = 0; i < count; i++) {
		sum.count += runs[i].count;
		sum.exposure += runs[i].exposure;
	}
	return sum;
}

/* How much the runs of a side vary around the rate of the side. */
struct dispersion {
	double statistic; /* Pearson's statistic */
	double degrees;   /* degrees of freedom of the statistic */
	double weight;    /* weight of the side in the estimate of the dispersion */
};

/*
 * Estimates the variation of a side's runs. Each degree of freedom of Pearson's statistic has the variance 2 + 1/mean,
 * where `mean` is the mean count of a run. The weight is inversely proportional to this variance. Runs with few
 * samples therefore contribute little to the estimate of the dispersion, and runs without samples contribute nothing.
 */
static struct dispersion estimate_dispersion(const struct memphis_compared_samples *runs, size_t count)
{
	const struct memphis_compared_samples sum = sum_samples(runs, count);
	const double mean = (double)sum.count / (double)count;
	struct dispersion dispersion = {.degrees = (double)count - 1, .weight = mean / (mean + 0.5)};
	double expected;
	size_t i;

	for (i = 0; i < count; i++) {
		expected = (double)sum.count * runs[i].exposure / sum.exposure;
		if (expected > 0)
			dispersion.statistic += pow((double)runs[i].count - expected, 2) / expected;
	}
	return dispersion;
}

/* Returns the deviance of the two counts from the expectation that the second side has `share` of all samples. */
static double deviance(double first, double second, double share)
{
	const double all = first + second;
	double sum = 0;

	if (first > 0)
		sum += first * log(first / (all * (1 - share)));
	if (second > 0)
		sum += second * log(second / (all * share));
	return fmax(0, 2 * sum);
}

/*
 * Returns the share of the second side at which the deviance is `limit`. Searches by bisection between `near`, which
 * is the observed share, and `far`, which is 0 or 1.
 */
static double share_of_deviance(double first, double second, double near, double far, double limit)
{
	double middle = near;
	int i;

	if (fabs(near - far) <= 0)
		return far;
	for (i = 0; i < BISECTIONS; i++) {
		middle = (near + far) / 2;
		if (deviance(first, second, middle) < limit)
			near = middle;
		else
			far = middle;
	}
	return middle;
}

struct memphis_change memphis_change_of_runs(const struct memphis_compared_samples *first, size_t first_count,
					     const struct memphis_compared_samples *second,
					     size_t second_count)
{
	const struct memphis_compared_samples before = sum_samples(first, first_count),
					      after = sum_samples(second, second_count);
	const struct dispersion one = estimate_dispersion(first, first_count),
				other = estimate_dispersion(second, second_count);
	const double degrees = one.weight * one.degrees + other.weight * other.degrees,
		     a = (double)before.count, b = (double)after.count;
	struct memphis_change change =
		memphis_change_of(before.count, before.exposure, after.count, after.exposure);
	double dispersion, limit, share;

	if (isnan(change.ratio) || !(a + b > 0) || first_count + second_count < 3)
		return change;
	change.low = 0;
	change.high = INFINITY;
	change.p = 1;
	if (degrees < LEAST_DEGREES)
		return change;
	dispersion = fmax(1, (one.weight * one.statistic + other.weight * other.statistic) / degrees);
	share = after.exposure / (before.exposure + after.exposure);
	change.p = memphis_student_p(sqrt(deviance(a, b, share) / dispersion), degrees);
	limit = pow(memphis_student_width(degrees), 2) * dispersion;
	share = b / (a + b);
	change.low = rate_ratio(share_of_deviance(a, b, share, 0, limit), before.exposure, after.exposure);
	change.high = rate_ratio(share_of_deviance(a, b, share, 1, limit), before.exposure, after.exposure);
	return change;
}

/* Sets the interval and p. `error` is the standard error of the logarithm of the ratio, with `degrees` degrees of freedom. */
static void set_interval(struct memphis_change *change, double error, double degrees)
{
	const double reach = memphis_student_width(degrees) * error;

	change->low = change->ratio * exp(-reach);
	change->high = change->ratio * exp(reach);
	change->p = memphis_student_p(log(change->ratio) / error, degrees);
}

/*
 * Returns the mean of the known values (those that are not NaN), and sets *known to their number. Adds the squares of
 * their relative deviations from the mean to *squares.
 */
static double mean_of_known(const double *values, size_t count, size_t *known, double *squares)
{
	double sum = 0, mean;
	size_t i;

	*known = 0;
	for (i = 0; i < count; i++)
		if (!isnan(values[i])) {
			sum += values[i];
			++*known;
		}
	mean = *known ? sum / (double)*known : NAN;
	for (i = 0; mean > 0 && i < count; i++)
		if (!isnan(values[i]))
			*squares += pow(values[i] / mean - 1, 2);
	return mean;
}

/*
 * Returns the degrees of freedom of a side. There are none if all its values are zero, because their variation is then
 * unknown.
 */
static double degrees_of_freedom(double mean, size_t known)
{
	return mean > 0 ? (double)known - 1 : 0;
}

struct memphis_change memphis_change_of_values(const double *first, size_t first_count, const double *second,
					       size_t second_count)
{
	struct memphis_change change = {.ratio = NAN, .low = NAN, .high = NAN, .p = 1};
	double squares = 0, before, after, degrees, error;
	size_t first_known, second_known;

	before = mean_of_known(first, first_count, &first_known, &squares);
	after = mean_of_known(second, second_count, &second_known, &squares);
	if (isnan(before) || isnan(after))
		return change;
	change.ratio = before > 0 ? after / before : after > 0 ? INFINITY : 1;
	degrees = degrees_of_freedom(before, first_known) + degrees_of_freedom(after, second_known);
	if (degrees < 1 || !(squares > 0))
		return change;
	error = sqrt(squares / degrees * (1 / (double)first_known + 1 / (double)second_known));
	if (before > 0 && after > 0)
		set_interval(&change, error, degrees);
	else /* One mean is 0, so the difference of the means is the other mean. */
		change.p = memphis_student_p(1 / error, degrees);
	change.noise = change.p >= MEMPHIS_SIGNIFICANCE;
	return change;
}

/* Returns a number of a process, or 0 if it is unknown. */
typedef double (*get_number)(const struct memphis_process *process);

static double accesses_per_sample(const struct memphis_process *process)
{
	return (double)memphis_stands_for(&process->settings).accesses;
}

static double sampling_period(const struct memphis_process *process)
{
	return (double)memphis_setting_number(&process->settings, "period", 0);
}

/*
 * Returns the mean of a number over the processes for which it is known, weighted by their interrupts. If no
 * interrupts were counted, all processes have the same weight. Returns 0 if the number is unknown for all processes.
 */
static double mean_of_processes(const struct memphis_processes *processes, get_number get)
{
	double interrupts, all = 0, weighed = 0, plain = 0, number;
	size_t known = 0, i, j;

	for (i = 0; i < processes->count; i++) {
		number = get(&processes->list[i]);
		if (!(number > 0))
			continue;
		interrupts = 0;
		for (j = 0; j < processes->list[i].thread_count; j++)
			interrupts += (double)processes->list[i].threads[j].accounting.interrupts;
		all += interrupts;
		weighed += interrupts * number;
		plain += number;
		known++;
	}
	if (all > 0)
		return weighed / all;
	return known ? plain / (double)known : 0;
}

/*
 * Returns the number of accesses that each selected sample represents. If the run has no such samples, computes it
 * from the sampling periods. Returns 0 if no period counts accesses.
 */
static double sample_weight(const struct memphis_compared_run *run)
{
	uint64_t samples = 0, accesses = 0;
	size_t i;

	for (i = 0; i < run->rows.pair_count; i++) {
		samples += run->rows.matrix[i].sum.measure.count;
		accesses += run->rows.matrix[i].sum.measure.accesses;
	}
	return samples ? (double)accesses / (double)samples
		       : mean_of_processes(&run->profile.processes, accesses_per_sample);
}

static bool has_interrupts(const struct memphis_processes *processes)
{
	size_t i, j;

	for (i = 0; i < processes->count; i++)
		for (j = 0; j < processes->list[i].thread_count; j++)
			if (processes->list[i].threads[j].accounting.interrupts)
				return true;
	return false;
}

void memphis_compared_run_measure(struct memphis_compared_run *run)
{
	const struct memphis_process *process;
	const char *backend, *count, *filter, *event;
	uint64_t active, period;
	size_t i, j;

	for (i = 0; i < run->profile.processes.count; i++) {
		process = &run->profile.processes.list[i];
		active = memphis_setting_number(&process->settings, "active_ns", 0);
		if ((double)active / 1e9 > run->seconds)
			run->seconds = (double)active / 1e9;
		backend = memphis_setting(&process->settings, "backend");
		run->sampled |= active && (!backend || strcmp(backend, "none") != 0);
		count = memphis_setting(&process->settings, "count");
		period = memphis_setting_number(&process->settings, "period", 0);
		filter = memphis_setting(&process->settings, "hardware_filter");
		event = memphis_setting(&process->settings, "event");
		/*
		 * The interrupts do not count loads that a hardware filter dropped, or loads that only other events
		 * would have sampled. The number of operations is unknown in these cases.
		 */
		if ((count && !strcmp(count, "cycles")) || (filter && strcmp(filter, "none") != 0) ||
		    (event && strcmp(event, "load-latency") != 0))
			continue;
		for (j = 0; j < process->thread_count; j++)
			run->operations += (double)process->threads[j].accounting.interrupts * (double)period;
	}
	run->sampled |= run->profile.totals.count || has_interrupts(&run->profile.processes);
	memphis_lpi_find(&run->lpi, &run->rows.waiting, &run->profile, run->rows.view->selection);
	run->weight = sample_weight(run);
	run->period = mean_of_processes(&run->profile.processes, sampling_period);
}

/* Returns the mean of the known weights, or 0 if none is known. */
static double mean_weight(const struct memphis_compared_run *runs, size_t count)
{
	double sum = 0;
	size_t known = 0, i;

	for (i = 0; i < count; i++) {
		sum += runs[i].weight;
		known += runs[i].weight > 0;
	}
	return known ? sum / (double)known : 0;
}

void memphis_compared_runs_weigh(struct memphis_compared_run *runs, size_t count)
{
	const double mean = mean_weight(runs, count);
	bool periods = true;
	size_t i;

	for (i = 0; i < count; i++)
		periods &= runs[i].period > 0;
	for (i = 0; i < count; i++)
		runs[i].stands_for = runs[i].weight > 0 ? runs[i].weight
				     : mean > 0         ? mean
				     : periods          ? runs[i].period
							: 1;
}

const struct memphis_kept memphis_kept[MEMPHIS_KEPT] = {
	{"event", "load-latency"},
	{"drop", "none"},
	{"hardware_filter", "none"},
	{"min_latency", "0"},
};

const char *memphis_compared_run_kept(const struct memphis_compared_run *run, size_t which)
{
	const struct memphis_processes *processes = &run->profile.processes;
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
	const char *first = memphis_compared_run_kept(&compare->runs[0], which);
	size_t i;

	for (i = 1; i < compare->run_count; i++)
		if (strcmp(first, memphis_compared_run_kept(&compare->runs[i], which)) != 0)
			return false;
	return true;
}

bool memphis_compare_assumes_weights(const struct memphis_compare *compare)
{
	size_t known = 0, i;

	for (i = 0; i < compare->run_count; i++)
		known += compare->runs[i].weight > 0;
	return known && known < compare->run_count;
}

double memphis_compared_weight(const struct memphis_compare *compare, size_t side)
{
	const struct memphis_side *of = &compare->sides[side];
	const double first = compare->runs[of->first].weight;
	size_t i;

	/* The lowest bits of periods are random, so the means of like runs differ a little. */
	for (i = 1; i < of->count; i++)
		if (fabs(compare->runs[of->first + i].weight - first) > 0.01 * first)
			return 0;
	return first;
}

bool memphis_compare_weights_differ(const struct memphis_compare *compare, size_t side)
{
	const double first = compare->runs[compare->sides[0].first].weight,
		     other = compare->runs[compare->sides[side].first].weight;

	return first > 0 && other > 0 &&
	       (!memphis_compared_weight(compare, 0) || !memphis_compared_weight(compare, side) ||
		fabs(first - other) > 0.01 * first);
}

double memphis_compared_run_exposure(const struct memphis_compared_run *run, enum memphis_per per)
{
	double of[MEMPHIS_PERS] = {[MEMPHIS_PER_RUN] = 1,
				   [MEMPHIS_PER_SECOND] = run->seconds,
				   [MEMPHIS_PER_OPERATION] = run->operations};

	return run->sampled ? of[per] / run->stands_for : 0;
}

/*
 * Returns whether two rows of different runs are the same. Variables are the same if their segments and shown names
 * are equal. Their lines and addresses are ignored, because these change with each build.
 */
static bool is_same_row(const struct memphis_compare_row *a, const struct memphis_compare_row *b)
{
	return a->node == b->node && a->line == b->line && !strcmp(a->shown, b->shown) &&
	       !strcmp(a->segment, b->segment);
}

static int init_row(const struct memphis_compare *compare, struct memphis_compare_row *row)
{
	size_t i;

	row->runs = calloc(compare->run_count, sizeof(*row->runs));
	row->changes = calloc(compare->side_count, sizeof(*row->changes));
	for (i = 0; row->runs && i < compare->run_count; i++)
		row->runs[i].samples.exposure =
			memphis_compared_run_exposure(&compare->runs[i], compare->per);
	return row->runs && row->changes ? 0 : -ENOMEM;
}

/* Returns the row below `parent` that is the same as `named`, and adds it if it is new. Returns NULL if memory is exhausted. */
static struct memphis_compare_row *find_or_add_row(const struct memphis_compare *compare,
						   struct memphis_compare_row *parent,
						   const struct memphis_compare_row *named)
{
	struct memphis_compare_row *row;
	size_t i;

	for (i = 0; i < parent->count; i++)
		if (is_same_row(&parent->rows[i], named))
			return &parent->rows[i];
	row = memphis_append(parent->rows, parent->count, parent->room);
	if (!row)
		return NULL;
	*row = *named;
	return init_row(compare, row) ? NULL : row;
}

static void add_samples(struct memphis_compare_row *row, size_t run, const struct memphis_sum *sum)
{
	row->runs[run].samples.count += sum->measure.count;
	memphis_waits_add(&row->runs[run].waits, &sum->waits);
}

static int add_variable(struct memphis_compare *compare, struct memphis_compare_row *node,
			const struct memphis_variable_row *row, size_t run)
{
	struct memphis_compare_row *variable, *line,
		named = {.node = node->node, .name = row->name, .shown = row->shown, .segment = row->segment};
	const struct memphis_leaf_row *leaf;
	const char *path;

	variable = find_or_add_row(compare, node, &named);
	if (!variable)
		return -ENOMEM;
	add_samples(variable, run, &row->sum);
	add_samples(node, run, &row->sum);
	add_samples(&compare->all, run, &row->sum);
	for (leaf = row->leaves; leaf < row->leaves + row->leaf_count; leaf++) {
		path = leaf->path ? leaf->path : leaf->object ? leaf->object : "?";
		named = (struct memphis_compare_row){.node = node->node,
						     .name = memphis_basename(path),
						     .shown = memphis_basename(path),
						     .segment = "",
						     .function = leaf->function,
						     .line = leaf->line};
		line = find_or_add_row(compare, variable, &named);
		if (!line)
			return -ENOMEM;
		add_samples(line, run, &leaf->sum);
	}
	return 0;
}

static int add_run(struct memphis_compare *compare, size_t run)
{
	const struct memphis_rows *rows = &compare->runs[run].rows;
	struct memphis_variable_row *row;
	struct memphis_compare_row *node;
	size_t i, j;

	for (i = 0; i < rows->node_count; i++) {
		node = find_or_add_row(
			compare, &compare->all,
			&(struct memphis_compare_row){
				.node = rows->nodes[i].node, .name = "", .shown = "", .segment = ""});
		for (j = 0; node && j < rows->nodes[i].variable_count; j++) {
			row = &rows->nodes[i].variables[j];
			row->shown = memphis_shown_name(rows->profile, row->variable);
			if (add_variable(compare, node, row, run))
				return -ENOMEM;
		}
		if (!node)
			return -ENOMEM;
	}
	return 0;
}

/* Stores the row's samples in those runs of the side that were sampled. Returns the number of these runs. */
static size_t collect_samples(const struct memphis_compare *compare, const struct memphis_compare_row *row,
			      size_t side, struct memphis_compared_samples *samples)
{
	const struct memphis_side *of = &compare->sides[side];
	size_t count = 0, i;

	for (i = of->first; i < of->first + of->count; i++)
		if (compare->runs[i].sampled)
			samples[count++] = row->runs[i].samples;
	return count;
}

/* Computes the changes of the row and of all rows below it. `buffer` must have two elements per run. */
static void compute_changes(const struct memphis_compare *compare, struct memphis_compare_row *row,
			    struct memphis_compared_samples *buffer)
{
	struct memphis_compared_samples *second = buffer + compare->run_count;
	const size_t first = collect_samples(compare, row, 0, buffer);
	size_t i;

	for (i = 1; i < compare->side_count; i++)
		row->changes[i] = memphis_change_of_runs(buffer, first, second,
							 collect_samples(compare, row, i, second));
	for (i = 0; i < row->count; i++)
		compute_changes(compare, &row->rows[i], buffer);
}

uint64_t memphis_compared_count(const struct memphis_compare *compare, const struct memphis_compare_row *row,
				size_t side)
{
	uint64_t count = 0;
	size_t i;

	for (i = 0; i < compare->sides[side].count; i++)
		count += row->runs[compare->sides[side].first + i].samples.count;
	return count;
}

size_t memphis_compared_sampled(const struct memphis_compare *compare, size_t side)
{
	const struct memphis_side *of = &compare->sides[side];
	size_t count = 0, i;

	for (i = of->first; i < of->first + of->count; i++)
		count += compare->runs[i].sampled;
	return count;
}

bool memphis_compare_knows_noise(const struct memphis_compare *compare)
{
	return compare->side_count < compare->run_count;
}

/* Returns whether the run would have samples of loads if the program had made such loads. */
static bool can_sample_loads(const struct memphis_compared_run *run)
{
	const struct memphis_selection *selection = run->rows.view->selection;
	const struct memphis_processes *processes = &run->profile.processes;
	const char *drop;
	size_t i;

	for (i = 0; i < processes->count; i++) {
		drop = memphis_setting(&processes->list[i].settings, "drop");
		if (drop && strstr(drop, "loads"))
			return false;
	}
	return run->sampled && !(selection->kind->flags_set & MEMPHIS_FLAG_STORE);
}

/* Returns the sum of the waiting over all sources, or over remote memory and caches only. */
static struct memphis_wait sum_waiting(const struct memphis_waits *waits, enum memphis_compared_wait wait)
{
	const struct memphis_wait *sources = waits->sources;
	struct memphis_wait sum = {0};
	size_t i;

	for (i = 0; i < MEMPHIS_WAIT_SOURCES; i++) {
		if (wait == MEMPHIS_COMPARED_REMOTE && i != MEMPHIS_WAIT_REMOTE_DRAM &&
		    i != MEMPHIS_WAIT_REMOTE_CACHE)
			continue;
		sum.cycles += sources[i].cycles;
		sum.squares += sources[i].squares;
	}
	return sum;
}

double memphis_compared_waited(const struct memphis_compare *compare, const struct memphis_compare_row *row,
			       size_t run, enum memphis_compared_wait wait)
{
	const struct memphis_waiting *waiting = &compare->runs[run].rows.waiting;

	if (waiting->why_not == MEMPHIS_OBSTACLE_NO_LOADS && can_sample_loads(&compare->runs[run]))
		return 0;
	return waiting->why_not ? NAN : sum_waiting(&row->runs[run].waits, wait).cycles;
}

struct memphis_change memphis_change_of_waiting(const struct memphis_compare *compare,
						const struct memphis_compare_row *row, size_t first,
						size_t second, enum memphis_compared_wait wait)
{
	const struct memphis_wait before = sum_waiting(&row->runs[first].waits, wait),
				  after = sum_waiting(&row->runs[second].waits, wait);

	if (isnan(memphis_compared_waited(compare, row, first, wait)) ||
	    isnan(memphis_compared_waited(compare, row, second, wait)))
		return (struct memphis_change){.ratio = NAN, .high = INFINITY, .p = 1};
	return memphis_change_of_sums(before.cycles, before.squares, after.cycles, after.squares);
}

static int compare_p_values(const void *a, const void *b)
{
	const struct memphis_change *const *x = a, *const *y = b;

	return ((*x)->p > (*y)->p) - ((*x)->p < (*y)->p);
}

/*
 * Marks changes that are probably noise. Uses Holm's method (Scandinavian Journal of Statistics 6, 1979), which
 * corrects for multiple comparisons.
 */
static void mark_noise(struct memphis_change **changes, size_t count)
{
	bool noise = false;
	size_t i;

	memphis_sort(changes, count, compare_p_values);
	for (i = 0; i < count; i++) {
		noise |= changes[i]->p * (double)(count - i) >= MEMPHIS_SIGNIFICANCE;
		changes[i]->noise = noise;
	}
}

/*
 * The correction for multiple comparisons is made separately in three families: the total with the nodes, the
 * variables, and the lines.
 */
#define FAMILIES 3
struct family {
	struct memphis_change **changes;
	size_t count;
};

static size_t count_rows(const struct memphis_compare_row *row)
{
	size_t count = 1, i;

	for (i = 0; i < row->count; i++)
		count += count_rows(&row->rows[i]);
	return count;
}

/* Collects the changes of the row and of all rows below it in their families. `depth` is the number of enclosing rows. */
static void collect_changes(const struct memphis_compare_row *row, size_t depth, size_t side,
			    struct family families[FAMILIES])
{
	struct family *family = &families[depth ? depth - 1 : 0];
	size_t i;

	family->changes[family->count++] = &row->changes[side];
	for (i = 0; i < row->count; i++)
		collect_changes(&row->rows[i], depth + 1, side, families);
}

static int mark_all_noise(struct memphis_compare *compare)
{
	struct memphis_change **changes = calloc(FAMILIES * count_rows(&compare->all), sizeof(*changes));
	struct family families[FAMILIES];
	size_t side, i;

	for (side = 1; changes && side < compare->side_count; side++) {
		for (i = 0; i < FAMILIES; i++)
			families[i] = (struct family){changes + i * count_rows(&compare->all), 0};
		collect_changes(&compare->all, 0, side, families);
		for (i = 0; i < FAMILIES; i++)
			mark_noise(families[i].changes, families[i].count);
	}
	free(changes);
	return changes ? 0 : -ENOMEM;
}

static double side_exposure(const struct memphis_compare *compare, size_t side)
{
	double exposure = 0;
	size_t i;

	for (i = 0; i < compare->sides[side].count; i++)
		exposure += memphis_compared_run_exposure(&compare->runs[compare->sides[side].first + i],
							  compare->per);
	return exposure;
}

/* Returns the largest change from the first side to any other side, as a number of samples of the first side. */
static double largest_change(const struct memphis_compare *compare, const struct memphis_compare_row *row)
{
	const double first = side_exposure(compare, 0),
		     before = (double)memphis_compared_count(compare, row, 0);
	double most = 0, exposure;
	size_t i;

	for (i = 1; i < compare->side_count; i++) {
		exposure = side_exposure(compare, i);
		if (exposure > 0)
			most = fmax(most,
				    fabs((double)memphis_compared_count(compare, row, i) * first / exposure -
					 before));
	}
	return most;
}

static bool is_noise(const struct memphis_compare *compare, const struct memphis_compare_row *row)
{
	size_t i;

	for (i = 1; i < compare->side_count && row->changes[i].noise; i++)
		;
	return i == compare->side_count;
}

static int compare_rows(const void *a, const void *b, void *compare)
{
	const struct memphis_compare_row *x = a, *y = b;
	const bool x_noise = is_noise(compare, x), y_noise = is_noise(compare, y);
	const double x_moved = largest_change(compare, x), y_moved = largest_change(compare, y);
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

static void sort_rows(struct memphis_compare *compare, struct memphis_compare_row *row)
{
	size_t i;

	for (i = 0; i < row->count; i++)
		sort_rows(compare, &row->rows[i]);
	if (row->count)
		qsort_r(row->rows, row->count, sizeof(*row->rows), compare_rows, compare);
}

/* Finds the names under which variables are shown. Variables with the same name are distinguished in the same way in all runs. */
static int name_variables(struct memphis_compared_run *runs, size_t count)
{
	struct memphis_profile **profiles = calloc(count, sizeof(*profiles));
	size_t i;
	int rc;

	if (!profiles)
		return -ENOMEM;
	for (i = 0; i < count; i++)
		profiles[i] = &runs[i].profile;
	rc = memphis_shown_names_find(profiles, count);
	free(profiles);
	return rc;
}

/*
 * Groups the runs into sides. If `second` is 0, each run is a side. Otherwise, runs from index `second` on are the
 * second side.
 */
static int make_sides(struct memphis_compare *compare, size_t second)
{
	size_t i;

	compare->side_count = second ? 2 : compare->run_count;
	compare->sides = calloc(compare->side_count, sizeof(*compare->sides));
	if (!compare->sides)
		return -ENOMEM;
	for (i = 0; i < compare->side_count; i++)
		compare->sides[i] =
			second ? (struct memphis_side){i * second, i ? compare->run_count - second : second}
			       : (struct memphis_side){i, 1};
	return 0;
}

int memphis_compare_make(struct memphis_compare *compare, struct memphis_compared_run *runs, size_t count,
			 size_t second, enum memphis_per per)
{
	struct memphis_compared_samples *buffer = NULL;
	size_t i;
	int rc;

	memset(compare, 0, sizeof(*compare));
	compare->runs = runs;
	compare->run_count = count;
	compare->per = per;
	compare->all = (struct memphis_compare_row){.name = "", .shown = "", .segment = ""};
	rc = make_sides(compare, second);
	if (!rc)
		rc = init_row(compare, &compare->all);
	if (!rc)
		rc = name_variables(runs, count);
	for (i = 0; !rc && i < count; i++)
		rc = add_run(compare, i);
	if (!rc)
		buffer = calloc(2 * count, sizeof(*buffer));
	if (!buffer)
		return -ENOMEM;
	compute_changes(compare, &compare->all, buffer);
	free(buffer);
	rc = mark_all_noise(compare);
	if (!rc)
		sort_rows(compare, &compare->all);
	return rc;
}

static void close_row(struct memphis_compare_row *row)
{
	size_t i;

	for (i = 0; i < row->count; i++)
		close_row(&row->rows[i]);
	free(row->rows);
	free(row->runs);
	free(row->changes);
}

void memphis_compare_close(struct memphis_compare *compare)
{
	close_row(&compare->all);
	free(compare->sides);
	memset(compare, 0, sizeof(*compare));
}
