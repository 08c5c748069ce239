/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded into the tool: tells the options that it is about to parse, and ends. One per line: names, then whether it has an argument. */
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
