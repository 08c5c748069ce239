/* SPDX-License-Identifier: BSD-3-Clause */
/* The subcommands of `memphis`. */
#ifndef MEMPHIS_COMMAND_H
#define MEMPHIS_COMMAND_H

#define MEMPHIS_EXIT_ERROR 1
#define MEMPHIS_EXIT_USAGE 2
#define MEMPHIS_EXIT_WORSE 3 /* memphis compare --fail-if: a figure has grown */

struct memphis_command {
	const char *name;
	const char *help; /* NULL: only this tool executes the command, and the usage does not list it */
	/* Runs the command, whose name is arguments[0]. Returns the exit status. */
	int (*run)(int count, char **arguments);
};

extern const struct memphis_command memphis_record, memphis_report, memphis_compare, memphis_reduce_command,
	memphis_merge, memphis_export_command, memphis_place, memphis_dump, memphis_top_command,
	memphis_node_command, memphis_selftest_pattern;

#endif
