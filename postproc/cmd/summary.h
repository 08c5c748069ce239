/* SPDX-License-Identifier: BSD-3-Clause */
/* The two-line summary at the end of a recording, from the same accounting as the report. */
#ifndef MEMPHIS_SUMMARY_H
#define MEMPHIS_SUMMARY_H

#include <stdio.h>

/* Summarises all files in the directory. Each line begins with "memphis record: ". */
void memphis_summary_print(const char *directory, FILE *to);

#endif
