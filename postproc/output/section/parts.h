/* SPDX-License-Identifier: BSD-3-Clause */
/* Output that the paper format and the text format share: percentages, accounting, notes, names of groups. */
#ifndef MEMPHIS_PARTS_H
#define MEMPHIS_PARTS_H

#include "base/json.h"
#include "output/section/section.h"
#include "view/columns.h"

/* Writes the number of the node, or null if it is not known. */
void memphis_json_node(struct memphis_json *json, const char *key, uint32_t node);

/* Writes path, line and function of a frame. If `frame` is NULL, writes unknown values. */
void memphis_json_place(struct memphis_json *json, const struct memphis_profile *profile,
			const struct memphis_profile_frame *frame);

/* Writes those columns of the place (enum memphis_column_place) that the row has. */
void memphis_columns_json(struct memphis_json *json, unsigned int place, const struct memphis_shown *row);

/* Appends the number of the node, or "?" if it is not known. */
void memphis_put_node_number(struct memphis_text *text, uint32_t node);

/* Appends "12.3 %"; 100 % if `whole` is 0. */
void memphis_put_share(struct memphis_text *text, uint64_t part, uint64_t whole);

/* Appends a number of samples, right-aligned in `width` columns, and its share of `whole` in 9 columns. */
void memphis_put_count(struct memphis_text *text, int width, uint64_t count, uint64_t whole);

/* Appends the selection to the line that shows it: ", node 1, rank 3 on host n01, in region Bound". Ends the line. */
void memphis_put_selection(struct memphis_text *text, const struct memphis_selection *selection);

/*
 * Appends the tables of all nodes. If the view has groups, appends separate tables for each group. The
 * heading of a group is "REGION TimeLoop > Bound". `colon` is appended after its first word. put_total()
 * appends the end of a heading.
 */
void memphis_put_nodes(const struct memphis_report *report, struct memphis_text *text, const char *colon,
		       void (*put_total)(const struct memphis_report *report, struct memphis_text *text,
					 uint64_t samples),
		       void (*put_node)(const struct memphis_report *report, struct memphis_text *text,
					const struct memphis_node_row *node));

/* Appends one line for each region with its exclusive and inclusive samples and its samples by node, and then an empty line. */
void memphis_put_region_table(const struct memphis_report *report, struct memphis_text *text);

/* Appends the number of sampled accesses that libmemphis itself made, if there are any. */
void memphis_put_own(const struct memphis_report *report, struct memphis_text *text);

/* Appends the site and the certainty of the variable if it is estimated: " (site graph.cpp:41), 85 %". */
void memphis_put_certainty(struct memphis_text *text, const struct memphis_variable_row *row);

/* Appends how many samples have a variable, and why the others have none. */
void memphis_put_attribution(const struct memphis_report *report, struct memphis_text *text);

/* Appends the accounting of interrupts and the causes of missed samples. */
void memphis_put_books(const struct memphis_report *report, struct memphis_text *text);

/* Appends the reasons why there are fewer interrupts than the period predicts. */
void memphis_put_disturbances(const struct memphis_accounting_total *accounting, struct memphis_text *text);

/*
 * Appends the accounting of at most `limit` threads: of all threads with --threads, otherwise only of threads
 * whose accounting does not balance.
 */
void memphis_put_threads(const struct memphis_report *report, struct memphis_text *text, size_t limit);

/* Appends a warning if the accounting of any thread does not balance. */
void memphis_put_unbalanced(const struct memphis_report *report, struct memphis_text *text);

/* Appends the notes, one line each. */
void memphis_put_notes(const struct memphis_report *report, struct memphis_text *text);

/* ---- callers of samples in libraries, as text and as JSON ---- */

/* Appends " via memcpy" if the row's line called a library function that made the accesses. */
void memphis_put_via(struct memphis_text *text, const struct memphis_leaf_row *row);

/* If there are samples in libraries, appends how many of them have callers, and why the others have none. */
void memphis_put_callers(const struct memphis_report *report, struct memphis_text *text);

/* Appends the place of a node of the call tree: "model.c:44 (step)". */
void memphis_put_call_node(struct memphis_text *text, const struct memphis_profile *profile, uint32_t object,
			   const struct memphis_profile_frame *frame);

/* Write the key "callers" of a row, and of the accounting. Write nothing if the files contain no callers. */
void memphis_callers_json(struct memphis_json *json, const struct memphis_profile *profile,
			  const struct memphis_leaf_row *row);
void memphis_callers_accounting_json(struct memphis_json *json, const struct memphis_report *report);

/* ---- why samples have no variable: advice, and examples of such samples ---- */

/* Appends advice and examples for a reason. The caller has appended the line with the reason. */
void memphis_explain_text(const struct memphis_report *report, struct memphis_text *text,
			  unsigned int reason);
/* Returns the number of samples in blocks that do not have the name of one variable for this reason. */
uint64_t memphis_explain_names(const struct memphis_report *report, enum memphis_no_name reason);
void memphis_explain_json(const struct memphis_report *report, struct memphis_json *json);

#endif
