/* SPDX-License-Identifier: BSD-3-Clause */
/* The table behind every output: node, variable, instruction, in the order in which they are shown. */
#ifndef MEMPHIS_ROWS_H
#define MEMPHIS_ROWS_H

#include "profile/profile.h"
#include "profile/reasons.h"

/* What each has a table of its own for. */
enum memphis_group_by {
	MEMPHIS_GROUP_NONE = 0,
	MEMPHIS_GROUP_REGION,
	MEMPHIS_GROUP_THREAD,
	MEMPHIS_GROUP_HOME
};

/* What the rows below a variable are. */
enum memphis_leaf {
	MEMPHIS_LEAF_INSTRUCTION = 0,
	MEMPHIS_LEAF_LINE,
	MEMPHIS_LEAF_FUNCTION,
	MEMPHIS_LEAF_FIELD
};

enum memphis_sort { MEMPHIS_SORT_COUNT = 0, MEMPHIS_SORT_LATENCY };

/* A way to look at a profile. */
struct memphis_view {
	const struct memphis_selection *selection;
	enum memphis_group_by group;
	enum memphis_leaf leaf;
	enum memphis_sort sort; /* of variables and instructions, falling */
	bool processes;         /* a table of the processes, too */
};

/* What the samples of a row say together. */
struct memphis_sum {
	uint64_t count;
	uint64_t accesses; /* that they stand for: an estimate */
	uint64_t lines;    /* cache lines that came with these from outside the own L3 */
	uint64_t latency_cycles, latency_max_cycles; /* sum, largest */
	uint64_t stores, hitm;                       /* those of `count` that were */
	uint64_t low, high;                          /* data addresses seen */
};

/* Strings are the profile's. */
struct memphis_instruction_row {
	const char *path;               /* of the source file, or NULL */
	unsigned int line;              /* 0 = not known, or of a whole function */
	const char *function;           /* or NULL */
	const char *object;             /* path of the binary, or NULL */
	uint32_t object_number;         /* in the profile's objects, or MEMPHIS_NONE */
	const char *field;              /* member of the variable, where rows are members; else NULL */
	uint32_t offset, element_bytes; /* of that member in its element, whose size it is */
	const struct memphis_profile_frame *inlined; /* calls around, innermost first */
	size_t inlined_count;
	uint64_t pc; /* of the first instruction, where the row has several */
	struct memphis_sum sum;
};

struct memphis_variable_row {
	const char *segment, *name;
	const char *qualified, *site, *how, *why_not; /* see struct memphis_variable; or NULL */
	uint32_t variable;                            /* its number in the profile */
	struct memphis_sum sum;
	uint64_t *homes; /* samples by home node: one for each of rows->homes */
	uint64_t reasons[MEMPHIS_UNATTRIBUTED_REASONS]; /* why the samples have no variable, if so */
	struct memphis_instruction_row *instructions;
	size_t instruction_count;
};

struct memphis_node_row {
	uint32_t group; /* region, thread or home node, as the view groups by; else 0 */
	uint32_t node;
	uint64_t total;
	struct memphis_variable_row *variables;
	size_t variable_count;
};

/* How often threads of one node accessed memory of another one. */
struct memphis_pair {
	uint16_t node, home;
	struct memphis_sum sum;
};

struct memphis_rows {
	const struct memphis_profile *profile;
	const struct memphis_view *view;
	bool several_hosts;             /* of the profile's processes: a pid alone identifies none */
	struct memphis_node_row *nodes; /* those of a group stand together */
	size_t node_count, node_room;
	uint64_t selected, attributed;
	uint64_t unattributed[MEMPHIS_UNATTRIBUTED_REASONS];
	struct memphis_pair *matrix; /* those with samples, by node, then home */
	size_t pair_count, pair_room;
	uint16_t *homes; /* home nodes of all samples, in rising order */
	size_t home_count, home_room;
	/* what the rows point to */
	struct memphis_variable_row *variables;
	uint64_t *variable_homes;
	struct memphis_instruction_row *instructions;
	size_t instruction_count;
	struct memphis_instruction_row *fields; /* in the place of instructions, where members are known */
	size_t field_count;
};

/* Builds the table. 0 or -ENOMEM. Close it in either case; the profile must not change as long as it is in use. */
int memphis_rows_build(struct memphis_rows *rows, const struct memphis_profile *profile,
		       const struct memphis_view *view);
void memphis_rows_close(struct memphis_rows *rows);

/* The node rows of one group from `first` on: their number, and in *total their samples. */
size_t memphis_rows_group(const struct memphis_rows *rows, size_t first, uint64_t *total);

#endif
