// SPDX-License-Identifier: BSD-3-Clause
/*
 * The first screen of a comparison, for a reader in a hurry: whether the change has helped, what it has cost,
 * and which variables and lines have gained or lost samples. It never has more than MEMPHIS_SCREEN_LINES lines
 * of 80 columns.
 */
#include "output/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/layout.h"
#include "output/output.h"
#include "output/section/parts.h"
#include "output/section/waiting.h"

#define SIDES  3 /* maximum number of sides that are compared with the first one */
#define ROWS   6 /* maximum number of variables, divided among these sides */
#define NOTES  3 /* maximum number of notes if there is one such side, else 1 */
#define NODE   6 /* widths of columns */
#define COUNTS 16
#define CHANGE 27

/* A variable of a node, which has changed from the first side to another one. */
struct changed {
	const struct memphis_compare_row *row;
	double by; /* change of the rate of samples, without its sign */
};

/* The variables that a comparison of two sides has. */
struct changes {
	struct changed *list; /* those that have changed by more than the noise, the largest change first */
	size_t count;
	size_t noise_count; /* the number of the others that have samples */
};

/* Appends the name of the side's run: "base", or "before (a0 and 2 more)". Two of them fit in a line. */
static void put_side(struct memphis_text *text, const struct memphis_compare *compare, size_t side)
{
	const size_t words = memphis_compare_knows_noise(compare) ? strlen("before ( and 10 more)") : 0;
	const size_t width = (memphis_layout_width(text) - strlen(" -> ")) / 2 - words;
	const struct memphis_side *of = &compare->sides[side];
	struct memphis_text name = {0};

	memphis_text_put_plain(&name, compare->runs[of->first].name);
	if (memphis_compare_knows_noise(compare))
		memphis_text_put(text, side ? "after (" : "before (");
	memphis_layout_shorten(text, &name, width);
	if (of->count > 1)
		memphis_text_print(text, " and %zu more", of->count - 1);
	memphis_text_put(text, memphis_compare_knows_noise(compare) ? ")" : "");
	text->failed |= name.failed;
	memphis_text_close(&name);
}

/* Returns the samples per exposure. */
static double rate_of(const struct memphis_compare *compare, const struct memphis_compare_row *row,
		      size_t side)
{
	const struct memphis_side *of = &compare->sides[side];
	double exposure = 0;
	size_t i;

	for (i = of->first; i < of->first + of->count; i++)
		exposure += row->runs[i].samples.exposure;
	return exposure > 0 ? (double)memphis_compared_count(compare, row, side) / exposure : 0;
}

/* Returns the change of the rate of samples from the first side, without its sign. */
static double size_of_change(const struct memphis_compare *compare, const struct memphis_compare_row *row,
			     size_t side)
{
	return fabs(rate_of(compare, row, side) - rate_of(compare, row, 0));
}

static bool has_samples(const struct memphis_compare *compare, const struct memphis_compare_row *row,
			size_t side)
{
	return memphis_compared_count(compare, row, 0) || memphis_compared_count(compare, row, side);
}

static int compare_changed(const void *first, const void *second)
{
	const double one = ((const struct changed *)first)->by, other = ((const struct changed *)second)->by;

	return (one < other) - (one > other);
}

static struct changes find_changes(const struct memphis_compare *compare, size_t side)
{
	const struct memphis_compare_row *node, *row;
	struct changes changes = {0};
	size_t count = 0, i, j;

	for (i = 0; i < compare->all.count; i++)
		count += compare->all.rows[i].count;
	changes.list = calloc(count ? count : 1, sizeof(*changes.list));
	for (i = 0; changes.list && i < compare->all.count; i++) {
		node = &compare->all.rows[i];
		for (j = 0; j < node->count; j++) {
			row = &node->rows[j];
			if (isnan(row->changes[side].ratio))
				continue;
			if (!row->changes[side].noise)
				changes.list[changes.count++] =
					(struct changed){row, size_of_change(compare, row, side)};
			else
				changes.noise_count += has_samples(compare, row, side);
		}
	}
	if (changes.list)
		qsort(changes.list, changes.count, sizeof(*changes.list), compare_changed);
	return changes;
}

/* Appends the line whose change is the largest: "  at ice_boundary.F90:144 (copy_by_master), and 2 more". */
static void put_line(struct memphis_text *text, const struct memphis_compare *compare,
		     const struct memphis_compare_row *variable, size_t side)
{
	const struct memphis_compare_row *line = NULL, *one;
	struct memphis_text place = {0};
	size_t count = 0, i;

	for (i = 0; i < variable->count; i++) {
		one = &variable->rows[i];
		count += has_samples(compare, one, side);
		if (!line || size_of_change(compare, one, side) > size_of_change(compare, line, side))
			line = one;
	}
	if (!line || !line->line)
		return;
	memphis_text_print_plain(&place, "  at %s:%u", line->name, line->line);
	if (line->function)
		memphis_text_print_plain(&place, " (%s)", line->function);
	if (count > 1)
		memphis_text_print(&place, ", and %zu more", count - 1);
	memphis_layout_shorten(text, &place, memphis_layout_width(text));
	memphis_text_put(text, "\n");
	text->failed |= place.failed;
	memphis_text_close(&place);
}

/* Appends a ratio as a change in percent, in at least `width` columns; "any" for INFINITY. */
static void put_percent(struct memphis_text *text, double ratio, int width)
{
	const double percent = 100 * (ratio - 1);

	if (isinf(percent))
		memphis_text_put(text, "any");
	else
		memphis_text_print(text, "%+*.*f", width, fabs(percent) < 99.95 ? 1 : 0, percent);
}

static void put_change(struct memphis_text *text, const struct memphis_change *change)
{
	if (isinf(change->ratio)) {
		memphis_text_put(text, "  new\n");
		return;
	}
	put_percent(text, change->ratio, 7);
	memphis_text_put(text, " % (");
	put_percent(text, change->low, 0);
	memphis_text_put(text, " to ");
	put_percent(text, change->high, 0);
	memphis_text_put(text, ")\n");
}

static void put_row(struct memphis_text *text, const struct memphis_compare *compare,
		    const struct memphis_compare_row *row, size_t side)
{
	const size_t width = memphis_layout_width(text) - NODE - COUNTS - CHANGE;
	struct memphis_text name = {0}, cell = {0};

	memphis_text_print_plain(&name, "[%s]:%s", row->segment, row->shown);
	memphis_layout_shorten(&cell, &name, width);
	memphis_layout_put_cell(text, &cell, width);
	memphis_text_cut(&cell, 0);
	memphis_put_node_number(&cell, row->node);
	memphis_layout_put_number(text, &cell, NODE - 1);
	memphis_compare_put_count(&cell, compare, row, 0);
	memphis_text_put(&cell, " -> ");
	memphis_compare_put_count(&cell, compare, row, side);
	memphis_layout_put_number(text, &cell, COUNTS - 1);
	put_change(text, &row->changes[side]);
	put_line(text, compare, row, side);
	text->failed |= name.failed | cell.failed;
	memphis_text_close(&name);
	memphis_text_close(&cell);
}

static void put_title(struct memphis_text *text, bool weighted)
{
	const size_t width = memphis_layout_width(text) - NODE - COUNTS - CHANGE;

	memphis_text_style(text, MEMPHIS_BOLD);
	memphis_text_print(text, "%-*s%*s%*s  %s\n", (int)width, "CHANGES BEYOND THE NOISE", NODE, "node",
			   COUNTS, "samples", weighted ? "accesses, 95 % CI" : "change, 95 % CI");
	memphis_text_style(text, MEMPHIS_PLAIN);
}

/* Appends how many variables are not shown. */
static void put_others(struct memphis_text *text, size_t changed, size_t noise)
{
	if (changed)
		memphis_text_print(text, "%zu more variable%s", changed, changed > 1 ? "s" : "");
	if (changed && noise)
		memphis_text_put(text, "; ");
	if (noise)
		memphis_text_print(text, "%zu variable%s within the noise", noise,
				   noise > 1 ? "s are" : " is");
	memphis_text_put(text, changed || noise ? "\n" : "");
}

static void put_rows(struct memphis_text *text, const struct memphis_compare *compare, size_t side,
		     size_t most)
{
	struct changes changes = find_changes(compare, side);
	size_t i;

	text->failed |= !changes.list;
	if (changes.list && changes.count)
		put_title(text, memphis_compare_weights_differ(compare, side));
	for (i = 0; changes.list && i < memphis_shown(changes.count, most); i++)
		put_row(text, compare, changes.list[i].row, side);
	if (changes.list)
		put_others(text, changes.count - i, changes.noise_count);
	free(changes.list);
}

/*
 * Appends a number of both sides: "Sampled time: 44.0 s -> 20.4 s (-53.6 %)". Returns false, and appends
 * nothing, if the change is not known.
 */
static bool put_numbers(struct memphis_text *text, const struct memphis_compared_numbers *numbers,
			size_t side, const char *what, void (*put)(struct memphis_text *text, double number))
{
	const struct memphis_change change = memphis_compared_change(numbers, side);
	struct memphis_text line = {0};

	if (isnan(change.ratio))
		return false;
	memphis_text_put(&line, what);
	put(&line, memphis_compared_mean(numbers, 0));
	memphis_text_put(&line, " -> ");
	put(&line, memphis_compared_mean(numbers, side));
	memphis_compare_put_ratio(&line, &change);
	memphis_text_put(&line, "\n");
	memphis_layout_wrap(text, &line, 2);
	text->failed |= line.failed;
	memphis_text_close(&line);
	return true;
}

static void put_seconds(struct memphis_text *text, double seconds)
{
	memphis_text_print(text, "%.4g s", seconds);
}

static void put_cycles(struct memphis_text *text, double cycles)
{
	memphis_put_number(text, cycles);
	memphis_text_put(text, " cycles");
}

static void put_latency(struct memphis_text *text, double cycles)
{
	memphis_text_put_digits(text, cycles);
	memphis_text_put(text, " cycles");
}

static double seconds_of(const struct memphis_compare *compare, size_t run)
{
	return compare->runs[run].seconds > 0 ? compare->runs[run].seconds : NAN;
}

static double waited_of(const struct memphis_compare *compare, size_t run)
{
	return memphis_compared_waited(compare, &compare->all, run, MEMPHIS_COMPARED_ALL);
}

static double latency_of(const struct memphis_compare *compare, size_t run)
{
	const struct memphis_lpi *lpi = &compare->runs[run].lpi;

	return lpi->why_not ? NAN : lpi->lpi.value;
}

/* The numbers that are measured once in a run. `instead`: is shown only if the one before is not known. */
static const struct figure {
	const char *what;
	double (*get)(const struct memphis_compare *compare, size_t run);
	void (*put)(struct memphis_text *text, double number);
	bool instead;
} figures[] = {
	{"Remote latency per op: ", latency_of, put_latency, false},
	{"Waiting of these samples: ", waited_of, put_cycles, true},
	{"Sampled time: ", seconds_of, put_seconds, false},
};

static void put_figures(struct memphis_text *text, const struct memphis_compare *compare, size_t side)
{
	struct memphis_compared_numbers numbers = memphis_compared_numbers_make(compare);
	bool known = false;
	size_t i, run;

	text->failed |= !numbers.list;
	for (i = 0; numbers.list && i < sizeof(figures) / sizeof(*figures); i++) {
		if (figures[i].instead && known)
			continue;
		for (run = 0; run < compare->run_count; run++)
			numbers.list[run] = figures[i].get(compare, run);
		known = put_numbers(text, &numbers, side, figures[i].what, figures[i].put);
	}
	free(numbers.list);
}

/* Appends the samples of a side: "798", or "798 samples of 1000 accesses". */
static void put_samples(struct memphis_text *text, const struct memphis_compare *compare, size_t side,
			bool weighted)
{
	const double weight = memphis_compared_weight(compare, side);

	memphis_compare_put_count(text, compare, &compare->all, side);
	memphis_text_put(text, weighted ? " samples" : "");
	if (weighted && weight > 0)
		memphis_text_print(text, " of %.0f accesses", weight);
}

/*
 * Appends the change of all samples: "Fewer samples of remote-dram: 798 -> 259 (-67.5 %, ...)". If samples of the two
 * sides stand for different numbers of accesses: "Fewer accesses of remote-dram: 798 samples of 1000 accesses -> ...".
 */
static void put_total(struct memphis_text *text, const struct memphis_compare *compare, size_t side,
		      const char *selection)
{
	const struct memphis_change *change = &compare->all.changes[side];
	const bool weighted = memphis_compare_weights_differ(compare, side);
	const char *direction = change->noise ? "No clear change in" : change->ratio < 1 ? "Fewer" : "More";
	struct memphis_text line = {0};

	if (isnan(change->ratio))
		memphis_text_put(&line, "Samples");
	else
		memphis_text_print(&line, "%s %s", direction, weighted ? "accesses" : "samples");
	memphis_text_print(&line, " of %s", selection);
	if (compare->per != MEMPHIS_PER_RUN)
		memphis_text_print(&line, " per %s", memphis_compare_pers[compare->per]);
	memphis_text_put(&line, ": ");
	put_samples(&line, compare, 0, weighted);
	memphis_text_put(&line, " -> ");
	put_samples(&line, compare, side, weighted);
	memphis_compare_put_change(&line, change);
	memphis_text_put(&line, "\n");
	memphis_layout_wrap(text, &line, 2);
	text->failed |= line.failed;
	memphis_text_close(&line);
}

static void put_comparison(struct memphis_text *text, const struct memphis_compare *compare, size_t side,
			   const char *selection, size_t most)
{
	memphis_text_style(text, MEMPHIS_BOLD);
	put_side(text, compare, 0);
	memphis_text_put(text, " -> ");
	put_side(text, compare, side);
	memphis_text_style(text, MEMPHIS_PLAIN);
	memphis_text_put(text, "\n");
	put_total(text, compare, side, selection);
	put_figures(text, compare, side);
	put_rows(text, compare, side, most);
	memphis_text_put(text, "\n");
}

/* Appends the first notes, `most` at most, and the number of the others. */
static void put_notes(struct memphis_text *text, const struct memphis_compare *compare, const char *selection,
		      size_t most)
{
	struct memphis_text notes = {0}, line = {0};
	struct memphis_span rest, one;
	size_t count = 0;

	memphis_compare_put_notes(&notes, compare, selection);
	rest = (struct memphis_span){notes.text, notes.bytes};
	while (memphis_next_line(&rest, &one)) {
		if (count++ >= most)
			continue;
		memphis_text_add(&line, one.text, one.bytes);
		memphis_layout_put_note(text, &line);
		memphis_text_cut(&line, 0);
	}
	if (count > most)
		memphis_text_print(text, "%zu more note%s: --full\n", count - most,
				   count - most > 1 ? "s" : "");
	text->failed |= notes.failed | line.failed;
	memphis_text_close(&notes);
	memphis_text_close(&line);
}

/* Appends the comparisons of the first `shown` of these sides, and what follows them. */
static void put_screen(struct memphis_text *text, const struct memphis_compare *compare,
		       const char *selection, size_t shown)
{
	const size_t more = compare->side_count - 1 - shown;
	size_t side;

	for (side = 1; side <= shown; side++)
		put_comparison(text, compare, side, selection, ROWS / shown);
	if (more)
		memphis_text_print(text, "%zu more run%s: --full\n", more, more > 1 ? "s" : "");
	put_notes(text, compare, selection, shown > 1 ? 1 : NOTES);
	memphis_text_put(text, "nodes, variables with their lines, regions, counters: --full\n");
}

void memphis_output_compare_screen(const struct memphis_compare *compare, const char *selection,
				   struct memphis_text *text)
{
	size_t shown = memphis_shown(compare->side_count - 1, SIDES);

	put_screen(text, compare, selection, shown);
	for (; shown > 1 && memphis_layout_lines(text) > MEMPHIS_SCREEN_LINES; shown--) {
		memphis_text_cut(text, 0);
		put_screen(text, compare, selection, shown - 1);
	}
}
