// SPDX-License-Identifier: BSD-3-Clause
/* memphis: finds the subcommand and runs it. */
#include <stdio.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/version.h"

static const struct memphis_command *const commands[] = {
	&memphis_record,      &memphis_report,         &memphis_compare,         &memphis_reduce_command,
	&memphis_merge,       &memphis_export_command, &memphis_place,           &memphis_dump,
	&memphis_top_command, &memphis_node_command,   &memphis_selftest_pattern};

static void usage(FILE *to)
{
	size_t i;

	fputs("usage: memphis COMMAND ...\n"
	      "Shows which variable, at which source line and on which NUMA node, makes a program wait for remote memory.\n\n",
	      to);
	for (i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		if (commands[i]->help)
			fprintf(to, "  %-8s%s\n", commands[i]->name, commands[i]->help);
	fputs("\nSee memphis COMMAND --help and memphis(1).\n", to);
}

int main(int count, char **arguments)
{
	size_t i;

	if (count < 2) {
		usage(stderr);
		return MEMPHIS_EXIT_USAGE;
	}
	if (!strcmp(arguments[1], "--help") || !strcmp(arguments[1], "-h") || !strcmp(arguments[1], "help")) {
		usage(stdout);
		return 0;
	}
	if (!strcmp(arguments[1], "--version")) {
		memphis_version_print();
		return 0;
	}
	for (i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		if (!strcmp(arguments[1], commands[i]->name))
			return commands[i]->run(count - 1, arguments + 1);
	fprintf(stderr, "memphis: no command \"%s\"; memphis --help lists them\n", arguments[1]);
	return MEMPHIS_EXIT_USAGE;
}
