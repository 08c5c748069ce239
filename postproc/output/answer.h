/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The answer that a report gives first: whether the placement of memory is the problem, what it costs, which
 * loops and variables cause it, and what to do. The first screen of the text format and the HTML page show
 * the same sentences and numbers, which these functions write.
 */
#ifndef MEMPHIS_ANSWER_H
#define MEMPHIS_ANSWER_H

#include "base/json.h"
#include "output/section/section.h"

#define MEMPHIS_ANSWER_NAME 40 /* maximum width of a variable's name in a list of several variables */

/* Appends "1 process, 4 threads, 1 host (n01), 77.4 s in TimeLoop". */
void memphis_answer_put_run(const struct memphis_report *report, struct memphis_text *text);

/* Appends the selected part of the run: "only node 1, in region Bound"; nothing if the whole run is selected. */
void memphis_answer_put_selected(const struct memphis_report *report, struct memphis_text *text);

/*
 * Appends the share of remote loads, the share of time that waiting for them takes, and the upper limit of
 * what local memory would save.
 */
void memphis_answer_put_shares(const struct memphis_report *report, struct memphis_text *text);

/* Appends the limitations of the report, one line each. */
void memphis_answer_put_limits(const struct memphis_report *report, struct memphis_text *text);

/* Appends where a finding is: "at model.c:44 (step)". */
void memphis_answer_put_place(const struct memphis_report *report, const struct memphis_finding *finding,
			      struct memphis_text *text);

/* Appends the pattern and the problem: "first-touch: on node 0, used by nodes 0 to 3". */
void memphis_answer_put_problem(const struct memphis_report *report, const struct memphis_finding *finding,
				struct memphis_text *text);

/* Returns the upper limit of what a fix could save, as a fraction of memphis_whole_of(). Returns NAN if it is not known. */
double memphis_answer_saving(const struct memphis_report *report, const struct memphis_finding *finding);

/* Appends the result of memphis_answer_saving() as a percentage: "11.6 %". */
void memphis_answer_put_saving(const struct memphis_report *report, const struct memphis_finding *finding,
			       struct memphis_text *text);

/* Appends "[heap]:tx", shortened to `width` columns. */
void memphis_answer_put_variable(const struct memphis_report *report, struct memphis_text *text,
				 uint32_t variable, size_t width);

/*
 * Appends a sentence about the variable with the most samples that no finding explains, if these are at least
 * MEMPHIS_FINDING_SAMPLES samples and a large enough share of the selected samples; or, if there are findings of which
 * none can be about placement, the reason.
 */
void memphis_answer_put_unexplained(const struct memphis_report *report, struct memphis_text *text);

/* Writes the key "answer" of the JSON report; memphis-json(5) lists its members. */
void memphis_answer_json(const struct memphis_report *report, struct memphis_json *json);

#endif
