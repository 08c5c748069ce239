/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of nodes, variables and instructions as RFC 4180 has it: for spreadsheets and data frames. */
#ifndef MEMPHIS_CSV_H
#define MEMPHIS_CSV_H

#include "view/rows.h"
#include "base/text.h"

/* A header, then one line for each node, variable and row below it. What is not known is an empty field. */
void memphis_csv_put(const struct memphis_rows *rows, struct memphis_text *text);

#endif
