/* SPDX-License-Identifier: BSD-3-Clause */
/* What a recording has captured, in two lines: from the same accounting and by the same sums as the report. */
#ifndef MEMPHIS_SUMMARY_H
#define MEMPHIS_SUMMARY_H

#include <stdio.h>

/* Of all the files in the directory. Each line begins with "memphis record: ". */
void memphis_summary_print(const char *directory, FILE *to);

#endif
