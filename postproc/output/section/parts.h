/* SPDX-License-Identifier: BSD-3-Clause */
/* Output shared by the formats paper and text: percentages, accounting, notes, names of groups. */
#ifndef MEMPHIS_PARTS_H
#define MEMPHIS_PARTS_H

#include "base/json.h"
#include "output/section/section.h"
#include "view/columns.h"

/* Writes the number of the node, or null if it is not known. */
void memphis_json_node(struct memphis_json *json, const char *key, uint32_t node);

/* Writes path, line and function of a frame; they are unknown if it is NULL. */
void memphis_json_place(struct memphis_json *json, const struct memphis_profile *profile,
			const struct memphis_profile_frame *frame);

/* Writes the columns of the place (enum memphis_column_place) that the row has. */
void memphis_columns_json(struct memphis_json *json, unsigned int place, const struct memphis_shown *row);

/* Appends the number of the node, or "?" if it is not known. */
void memphis_put_node_number(struct memphis_text *text, uint32_t node);

/* Appends "12.3 %"; 100 % if `whole` is 0. */
void memphis_put_share(struct memphis_text *text, uint64_t part, uint64_t whole);

/* Appends a number of samples, right-aligned in `width`, and its share of `whole`, in 9 columns. */
void memphis_put_count(struct memphis_text *text, int width, uint64_t count, uint64_t whole);

/* Ends the line of what is selected: ", node 1, rank 3 on host n01, in region Bound". */
void memphis_put_selection(struct memphis_text *text, const struct memphis_selection *selection);

/*
 * Appends the tables of all nodes, separately for each group of the view if it has groups. The heading of a group is "REGION TimeLoop > Bound";
 * `colon` follows its first word, and put_total() appends its end.
 */
void memphis_put_nodes(const struct memphis_report *report, struct memphis_text *text, const char *colon,
		       void (*put_total)(const struct memphis_report *report, struct memphis_text *text,
					 uint64_t samples),
		       void (*put_node)(const struct memphis_report *report, struct memphis_text *text,
					const struct memphis_node_row *node));

/* Appends one line per region: exclusive and inclusive samples, and samples by node; then an empty line. */
void memphis_put_region_table(const struct memphis_report *report, struct memphis_text *text);

/* Appends the number of sampled accesses of libmemphis itself, if there are any. */
void memphis_put_own(const struct memphis_report *report, struct memphis_text *text);

/* Appends the site and the certainty of the variable if it is estimated: " (site graph.cpp:41), 85 %". */
void memphis_put_certainty(struct memphis_text *text, const struct memphis_variable_row *row);

/* Appends how many samples have a variable, and why the others have none. */
void memphis_put_attribution(const struct memphis_report *report, struct memphis_text *text);

/* Appends the accounting of interrupts, and the causes of missed samples. */
void memphis_put_books(const struct memphis_report *report, struct memphis_text *text);

/* Appends the reasons why there are fewer interrupts than the period predicts. */
void memphis_put_disturbances(const struct memphis_accounting_total *accounting, struct memphis_text *text);

/* Appends the accounting of at most `limit` threads: all threads with --threads, else the unbalanced ones. */
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

/* Appends the place of a node: "model.c:44 (step)". */
void memphis_put_call_node(struct memphis_text *text, const struct memphis_profile *profile, uint32_t object,
			   const struct memphis_profile_frame *frame);

/* Write the key "callers" of a row and of the accounting; nothing for files without callers. */
void memphis_callers_json(struct memphis_json *json, const struct memphis_profile *profile,
			  const struct memphis_leaf_row *row);
void memphis_callers_accounting_json(struct memphis_json *json, const struct memphis_report *report);

/* ---- why samples have no variable: advice, and examples of such samples ---- */

/* Appends advice and examples; the caller has appended the line of the reason. */
void memphis_explain_text(const struct memphis_report *report, struct memphis_text *text,
			  unsigned int reason);
/* Returns the number of samples in blocks that have no name of one variable for this reason. */
uint64_t memphis_explain_names(const struct memphis_report *report, enum memphis_no_name reason);
void memphis_explain_json(const struct memphis_report *report, struct memphis_json *json);

#endif
