/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preloaded into the tool: prints the options that the tool is about to parse, then exits. One per line: its
 * names, then ARGUMENT if it takes one.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int getopt_long(int count, char *const *arguments, const char *letters, const struct option *list, int *index)
{
	const char *letter;

	(void)count;
	(void)arguments;
	(void)index;
	for (; list->name; list++) {
		letter = list->val > ' ' && list->val < 127 ? strchr(letters, list->val) : NULL;
		if (letter)
			printf("-%c ", *letter);
		printf("--%s%s\n", list->name, list->has_arg ? " ARGUMENT" : "");
	}
	fflush(stdout);
	_Exit(0);
}
