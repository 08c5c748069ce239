/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of nodes, variables and instructions as CSV (RFC 4180), for spreadsheets and data frames. */
#ifndef MEMPHIS_CSV_H
#define MEMPHIS_CSV_H

#include "view/rows.h"
#include "base/text.h"

/* Appends a header, then one line per node, variable and instruction or member. Unknown values are empty fields. */
void memphis_csv_put(const struct memphis_rows *rows, struct memphis_text *text);

#endif
