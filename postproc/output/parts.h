/* SPDX-License-Identifier: BSD-3-Clause */
/* What the formats paper and text print in the same words: shares, the sum of the books, the names of groups. */
#ifndef MEMPHIS_PARTS_H
#define MEMPHIS_PARTS_H

#include "output/output.h"

/* The number of the node, or "?" if it is not known. */
void memphis_put_node_number(struct memphis_text *text, uint32_t node);

/* "12.3 %"; nothing counts as all of nothing. */
void memphis_put_share(struct memphis_text *text, uint64_t part, uint64_t whole);

/* "THREAD" or "HOME", and the name of one such group; regions are not groups in this sense. */
const char *memphis_group_kind(const struct memphis_report *report);
void memphis_put_group(const struct memphis_report *report, struct memphis_text *text, uint32_t group);

/* The names of the regions around `row`, outermost first, then its own: "TimeLoop > Bound". */
void memphis_put_region_path(struct memphis_text *text, const struct memphis_regions *regions,
			     const struct memphis_region_row *row);

/* One line per region: samples, exclusive and inclusive, also by node. Ends with an empty line. */
void memphis_put_region_table(const struct memphis_report *report, struct memphis_text *text);

/* How many samples are accesses of libmemphis itself; nothing if there are none. */
void memphis_put_own(const struct memphis_report *report, struct memphis_text *text);

/* How many samples have a variable, and why the others have none. */
void memphis_put_attribution(const struct memphis_report *report, struct memphis_text *text);

/* What became of all interrupts, and what disturbed the sampling. */
void memphis_put_books(const struct memphis_report *report, struct memphis_text *text);

/* The books of at most `limit` threads: of all with --threads, else of those that do not balance. */
void memphis_put_threads(const struct memphis_report *report, struct memphis_text *text, size_t limit);

/* A warning if the books of any thread do not balance. */
void memphis_put_unbalanced(const struct memphis_report *report, struct memphis_text *text);

/* The notes, one line each. */
void memphis_put_notes(const struct memphis_report *report, struct memphis_text *text);

#endif
