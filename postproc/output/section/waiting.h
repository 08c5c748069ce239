/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Estimated waiting in the formats text and JSON: cycles with their confidence intervals, the sources of
 * data, the verdict, and the loads that the estimate contains.
 */
#ifndef MEMPHIS_OUTPUT_WAITING_H
#define MEMPHIS_OUTPUT_WAITING_H

#include "output/section/section.h"

/* Returns true if the waiting of any selected sample is known. */
bool memphis_shows_waiting(const struct memphis_report *report);

/* Appends the lines "waiting:", "could gain:" and "verdict:" of the header. */
void memphis_put_waiting(const struct memphis_report *report, struct memphis_text *text);

/* Appends the sentence with the verdict, and a line feed. */
void memphis_put_verdict(const struct memphis_report *report, struct memphis_text *text);

/*
 * The total of which costs are shown as shares: the time of the threads if it was counted, otherwise all
 * waiting. `cycles` is 0 if neither is known.
 */
struct memphis_whole {
	double cycles;
	const char *words;  /* text for sentences: "the threads' time in calipers" */
	const char *saving; /* title of a column with shares: "could save at most, of the time" */
};
struct memphis_whole memphis_whole_of(const struct memphis_report *report);

/* Appends a number of cycles, right-aligned in a column: "3.91 G". Appends "-" if it is not known. */
void memphis_put_waited(const struct memphis_report *report, struct memphis_text *text,
			const struct memphis_waits *waits, int width);

/* Appends a number with three significant digits and a prefix: "3.91 G". */
void memphis_put_number(struct memphis_text *text, double value);

/* Appends "1.20 G cycles (95 % CI 1.10 G to 1.31 G)". */
void memphis_put_cycles(struct memphis_text *text, const struct memphis_estimate *cycles);

/* Appends the table of waiting by data source. Appends nothing if no waiting is known. */
void memphis_put_waiting_table(const struct memphis_report *report, struct memphis_text *text);

/* Appends the line that describes which loads the estimate contains. */
void memphis_put_waiting_contents(const struct memphis_report *report, struct memphis_text *text);

/* Write the key "waiting" of the report, and the waiting of a row. */
void memphis_waiting_json(struct memphis_json *json, const struct memphis_report *report);
void memphis_waits_json(struct memphis_json *json, const struct memphis_report *report,
			const struct memphis_waits *waits);

/* Writes an estimate with its interval as an object. `unit` is the key of the value. Writes null if `estimate` is NULL. */
void memphis_estimate_json(struct memphis_json *json, const char *key, const char *unit,
			   const struct memphis_estimate *estimate);

#endif
