/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the report answers first: whether the placement of memory is the problem, what it costs, which loops and variables cause it, and what to do. The first
 * screen of the format text and the page have the same words and numbers from here.
 */
#ifndef MEMPHIS_ANSWER_H
#define MEMPHIS_ANSWER_H

#include "base/json.h"
#include "output/section/section.h"

#define MEMPHIS_ANSWER_NAME 40 /* width of a variable's name among several */

/* Appends "1 process, 4 threads, 1 host (n01), 77.4 s in TimeLoop". */
void memphis_answer_put_run(const struct memphis_report *report, struct memphis_text *text);

/* Appends the selected part of the run: "only node 1, in region Bound"; nothing if the whole run is selected. */
void memphis_answer_put_selected(const struct memphis_report *report, struct memphis_text *text);

/* Appends the share of remote loads, the cost of waiting for them, and the upper limit of what local memory would save. */
void memphis_answer_put_shares(const struct memphis_report *report, struct memphis_text *text);

/* Appends what limits the report, one line each. */
void memphis_answer_put_limits(const struct memphis_report *report, struct memphis_text *text);

/* Appends where a finding is: "at model.c:44 (step)". */
void memphis_answer_put_place(const struct memphis_report *report, const struct memphis_finding *finding,
			      struct memphis_text *text);

/* Appends the pattern, and what is wrong: "first-touch: on node 0, used by nodes 0 to 3". */
void memphis_answer_put_problem(const struct memphis_report *report, const struct memphis_finding *finding,
				struct memphis_text *text);

/* Returns what a fix could save at most, as a share of memphis_whole_of(); NAN if it is not known. */
double memphis_answer_saving(const struct memphis_report *report, const struct memphis_finding *finding);

/* Appends this share: "11.6 %". */
void memphis_answer_put_saving(const struct memphis_report *report, const struct memphis_finding *finding,
			       struct memphis_text *text);

/* Appends "[heap]:tx", shortened to `width` columns. */
void memphis_answer_put_variable(const struct memphis_report *report, struct memphis_text *text,
				 uint32_t variable, size_t width);

/* Appends a sentence about the variable with most samples that no finding explains, if it has enough of them. */
void memphis_answer_put_unexplained(const struct memphis_report *report, struct memphis_text *text);

/* Writes the key "answer" of the JSON report; memphis-json(5) lists its members. */
void memphis_answer_json(const struct memphis_report *report, struct memphis_json *json);

#endif
