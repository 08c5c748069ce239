/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the comparison of runs as text and as JSON. */
#ifndef MEMPHIS_OUTPUT_COMPARE_H
#define MEMPHIS_OUTPUT_COMPARE_H

#include "view/compare.h"
#include "base/json.h"
#include "base/text.h"

/*
 * Append the comparison. memphis_output_compare_screen(): the largest changes, in at most MEMPHIS_SCREEN_LINES
 * lines. The others: all of it, with at most `top` variables per node and `lines` lines per variable. 0 means
 * no limit.
 */
void memphis_output_compare_screen(const struct memphis_compare *compare, const char *selection,
				   struct memphis_text *text);
void memphis_output_compare_text(const struct memphis_compare *compare, const char *selection, size_t top,
				 size_t lines, struct memphis_text *text);
void memphis_output_compare_json(const struct memphis_compare *compare, const char *selection, size_t top,
				 size_t lines, struct memphis_text *text);

/* ---- the parts that both forms of the text have ---- */

extern const char *const memphis_compare_pers[MEMPHIS_PERS]; /* "run", ... */

/* One measured number per run, such as the run's time. NAN means unknown. */
struct memphis_compared_numbers {
	const struct memphis_compare *compare;
	double *list; /* indexed by run; owned by the caller, who frees it */
};

/* Returns a malloc'ed list of unknown numbers (NAN). The list is NULL if memory is exhausted. */
struct memphis_compared_numbers memphis_compared_numbers_make(const struct memphis_compare *compare);

/* Returns the mean of the known numbers of a side's runs. Returns NAN if no number is known. */
double memphis_compared_mean(const struct memphis_compared_numbers *numbers, size_t side);

/* Returns the change from the first side to the side `side`. */
struct memphis_change memphis_compared_change(const struct memphis_compared_numbers *numbers, size_t side);

/*
 * Append a change from the first side. memphis_compare_put_ratio(): " (+12.5 %, 95 % CI +10.1 to +14.9)" or
 * " (new)", and nothing if the change is not known. memphis_compare_put_change(): the change of a number of
 * samples, " (can't be compared)" if it is not known.
 */
void memphis_compare_put_ratio(struct memphis_text *text, const struct memphis_change *change);
void memphis_compare_put_change(struct memphis_text *text, const struct memphis_change *change);

/* Appends the number of the side's samples. If the side has several runs, appends their mean. */
void memphis_compare_put_count(struct memphis_text *text, const struct memphis_compare *compare,
			       const struct memphis_compare_row *row, size_t side);

/* Appends the notes, a line for each. */
void memphis_compare_put_notes(struct memphis_text *text, const struct memphis_compare *compare,
			       const char *selection);

#endif
