/* SPDX-License-Identifier: BSD-3-Clause */
/* The table from which every output is made: rows of nodes, of variables, and of lines or other parts of variables, in the order of output. */
#ifndef MEMPHIS_ROWS_H
#define MEMPHIS_ROWS_H

#include "profile/heatmap.h"
#include "profile/profile.h"
#include "profile/reasons.h"
#include "view/waiting.h"

/* The kind of groups, each of which has a separate table. */
enum memphis_group_by {
	MEMPHIS_GROUP_NONE = 0,
	MEMPHIS_GROUP_REGION,
	MEMPHIS_GROUP_THREAD,
	MEMPHIS_GROUP_HOME
};

/* The kind of rows below a variable. */
enum memphis_leaf {
	MEMPHIS_LEAF_INSTRUCTION = 0,
	MEMPHIS_LEAF_LINE,
	MEMPHIS_LEAF_FUNCTION,
	MEMPHIS_LEAF_FIELD,
	MEMPHIS_LEAF_CALLERS /* functions that contain the accesses, below which outputs show their callers */
};

enum memphis_sort { MEMPHIS_SORT_COUNT = 0, MEMPHIS_SORT_LATENCY };

/*
 * The options of memphis report that are numbers, or flags, of a view: member, option, help. A number that has a default is SIZE_MAX before
 * it is set.
 */
#define MEMPHIS_VIEW_NUMBERS(NUMBER)                                                            \
	NUMBER(top, "top", "variables shown per node (default 10, JSON and HTML all; 0 = all)") \
	NUMBER(instructions, "instructions",                                                    \
	       "instructions shown per variable (default 5, JSON and HTML all; 0 = all)")
#define MEMPHIS_VIEW_FLAGS(FLAG)                                                                \
	FLAG(full, "full",                                                                      \
	     "everything: all findings with their evidence, tables by node, accounting, notes") \
	FLAG(threads, "threads", "the accounting of each thread, too")                          \
	FLAG(explain, "explain", "why samples have no variable: examples and advice")

#define MEMPHIS_VIEW_NUMBER(member, option, help) size_t member;
#define MEMPHIS_VIEW_FLAG(member, option, help)   bool member;

/* How the samples of a profile are selected, grouped, sorted and shown. */
struct memphis_view {
	MEMPHIS_VIEW_NUMBERS(MEMPHIS_VIEW_NUMBER)
	MEMPHIS_VIEW_FLAGS(MEMPHIS_VIEW_FLAG)
	const struct memphis_selection *selection;
	enum memphis_group_by group;
	enum memphis_leaf leaf;
	enum memphis_sort sort; /* of variables and instructions, descending */
	bool processes;         /* with a table of processes */
	bool mpi;               /* with tables of MPI ranks and functions */
	bool sharing;           /* with a table of threads that share memory */
	bool types, members;    /* with tables of the types, and of the members, that are accessed */
	const struct memphis_matrices *measured; /* latencies between nodes, or NULL */
};

/* The samples of a row that were reached by one chain of calls: first the calls inlined at the instruction, then the others. */
struct memphis_row_chain {
	/* An instruction in inlined code of a library, if rows are functions with their callers; else MEMPHIS_NONE. */
	uint32_t instruction;
	uint32_t chain; /* row of profile->chains, or MEMPHIS_NONE */
	uint64_t count;
};

/* A row below a variable. All strings belong to the profile. */
struct memphis_leaf_row {
	enum memphis_leaf kind; /* that of the view */
	struct memphis_sum sum;
	/*
	 * The code of the row. The line is in the program, outside system headers; for library code it is the line of the call into the library, if the
	 * callers are known. A row of a member has no code.
	 */
	const char *path;       /* of the source file, or NULL */
	unsigned int line;      /* 0: not known, or the row is a function */
	bool approximate;       /* the line is that of the nearest code of the function */
	const char *function;   /* or NULL */
	const char *object;     /* path of the binary, or NULL */
	uint32_t object_number; /* index in profile->objects, or MEMPHIS_NONE */
	uint64_t pc;            /* the lowest address, if the row has several instructions */
	struct {
		/* Inlined calls around the line, and code of system headers that is inlined in it; the innermost first. */
		const struct memphis_profile_frame *inlined, *library;
		size_t inlined_count, library_count;
		const char *via; /* the function of a library that the line called (view/via.h), or NULL */
		/* Type and member that the instruction accesses; NULL if they are unknown, or for a call of a library. */
		const char *type, *member;
	} instruction; /* all 0 in rows of other kinds */
	struct {
		const char *name; /* NULL: the row is the whole variable, whose members are not known */
		uint32_t offset,
			element_bytes;    /* of the member in its element, and the size of the element */
	} field;                          /* all 0 in rows of other kinds */
	struct memphis_row_chain *chains; /* sorted by count, descending */
	size_t chain_count;
};

struct memphis_variable_row {
	const char *segment, *name;
	const char *shown;            /* the name, with an addition if other variables have the same name */
	const char *qualified, *site; /* see struct memphis_variable; or NULL */
	const char *object, *declared, *unit;
	enum memphis_how how;
	enum memphis_no_name why_not;
	uint32_t variable; /* index in the profile */
	struct memphis_sum sum;
	uint64_t *homes;                                /* samples by home node, parallel to rows->homes */
	uint64_t reasons[MEMPHIS_UNATTRIBUTED_REASONS]; /* samples by the reason why they have no variable */
	struct memphis_leaf_row *leaves;
	size_t leaf_count;
};

struct memphis_node_row {
	uint32_t group; /* region, thread or home node, according to view->group; else 0 */
	uint32_t node;
	uint64_t total;
	struct memphis_variable_row *variables;
	size_t variable_count;
};

/* The samples of one accessing node that have one home node. */
struct memphis_pair {
	uint16_t node, home;
	struct memphis_sum sum;
};

struct memphis_rows {
	const struct memphis_profile *profile;
	const struct memphis_view *view;
	bool several_hosts;             /* the processes ran on several hosts: a pid alone is ambiguous */
	struct memphis_node_row *nodes; /* sorted by group, then node */
	size_t node_count, node_room;
	struct memphis_waiting waiting; /* waiting of all loads, by which the sums are computed */
	uint64_t selected, attributed;
	struct memphis_sum estimated; /* the part of `attributed` whose variables are estimated */
	/* Samples outside the program's own code, by the reason why their callers are unknown; [0]: known. */
	uint64_t callers[MEMPHIS_NO_CALLERS_CHECK + 1];
	uint64_t unattributed[MEMPHIS_UNATTRIBUTED_REASONS];
	struct memphis_pair *matrix; /* pairs with samples, sorted by node, then home */
	size_t pair_count, pair_room;
	uint16_t *homes; /* home nodes of all samples, ascending */
	size_t home_count, home_room;
	/* storage of the rows above */
	struct memphis_variable_row *variables;
	uint64_t *variable_homes;
	struct memphis_leaf_row *leaves;
	size_t leaf_count;
	struct memphis_row_chain *chains;
	size_t chain_count;
	struct memphis_leaf_row *fields; /* members, which replace other leaves where they are known */
	size_t field_count;
};

/* Builds the table. Returns 0 or -ENOMEM; close it in either case. The profile must not change while the table is in use. */
int memphis_rows_build(struct memphis_rows *rows, const struct memphis_profile *profile,
		       const struct memphis_view *view);
void memphis_rows_close(struct memphis_rows *rows);

/* Returns the group that the cell belongs to: a region, thread or home node, according to view->group; else 0. */
uint32_t memphis_rows_group_of(const struct memphis_view *view, const struct memphis_cell *cell);

/* Returns true if the name of the variable is an estimate, because its samples are in small blocks that were not recorded. */
bool memphis_is_estimated(const struct memphis_variable_row *row);

/* Returns the number of node rows of the group that begins at `first`, and in *total its samples. */
size_t memphis_rows_group(const struct memphis_rows *rows, size_t first, uint64_t *total);

/* ---- the range of a variable's elements that contains most samples of a row ---- */

/*
 * Returns the part of the variable in which 95 % of the row's samples are. Returns NULL if the part is not known, if it is most of the
 * variable, if it differs between processes, or if the rows are those of a group.
 */
const struct memphis_heatmap_part *memphis_hot_part(const struct memphis_rows *rows, uint32_t node,
						    const struct memphis_variable_row *row);

#endif
