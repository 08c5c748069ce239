/* SPDX-License-Identifier: BSD-3-Clause */
/* The subcommands of `memphis`. */
#ifndef MEMPHIS_COMMAND_H
#define MEMPHIS_COMMAND_H

#define MEMPHIS_EXIT_ERROR 1
#define MEMPHIS_EXIT_USAGE 2
#define MEMPHIS_EXIT_WORSE 3 /* memphis compare --fail-if: a figure has grown by more than its limit */

struct memphis_command {
	const char *name;
	/* NULL: an internal command, which only this tool executes and the usage does not list */
	const char *help;
	/* Runs the command, whose name is arguments[0]. Returns the exit status. */
	int (*run)(int count, char **arguments);
};

extern const struct memphis_command memphis_record, memphis_report, memphis_compare, memphis_reduce_command,
	memphis_merge, memphis_export_command, memphis_place, memphis_dump, memphis_top_command,
	memphis_node_command, memphis_selftest_pattern;

#endif
