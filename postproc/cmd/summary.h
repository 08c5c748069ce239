/* SPDX-License-Identifier: BSD-3-Clause */
/* The two-line summary at the end of a recording. It uses the same accounting as the report. */
#ifndef MEMPHIS_SUMMARY_H
#define MEMPHIS_SUMMARY_H

#include <stdio.h>

/*
 * Prints a summary of the launch's files in the directory. Opens no other files, because each of thousands of
 * ranks may do this in one directory. Waits up to a second for the files of killed processes, which are
 * completed after their end. Each line begins with "memphis record: ".
 */
void memphis_summary_print(const char *directory, const char *launch, FILE *to);

#endif
