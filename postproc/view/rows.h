/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table from which all outputs are made. It has rows of nodes, rows of variables, and rows of lines or other parts
 * of variables, in the order of output.
 */
#ifndef MEMPHIS_ROWS_H
#define MEMPHIS_ROWS_H

#include "profile/heatmap.h"
#include "profile/profile.h"
#include "profile/reasons.h"
#include "view/waiting.h"

/* How samples are grouped. Each group has a separate table. */
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
	MEMPHIS_LEAF_FIELD,
	MEMPHIS_LEAF_CALLERS /* functions that contain the accesses; outputs show the callers below them */
};

enum memphis_sort { MEMPHIS_SORT_COUNT = 0, MEMPHIS_SORT_LATENCY };

/*
 * The options of memphis report that set numbers or flags of a view, as member, option and help. A number with a
 * default is SIZE_MAX until the option sets it.
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
	enum memphis_sort
		sort;        /* order of variables and instructions, descending; LATENCY: also of processes */
	bool processes;      /* show a table of processes */
	bool mpi;            /* show tables of MPI ranks and functions */
	bool sharing;        /* show a table of threads that share memory */
	bool types, members; /* show tables of the types, and of the members, that are accessed */
	const struct memphis_matrices *measured; /* latencies between nodes, or NULL */
};

/*
 * The samples of a row that were reached through the same calls: first the calls that are inlined at the instruction,
 * then those of the chain.
 */
struct memphis_row_chain {
	/* If rows are functions with their callers: an instruction in inlined library code. Otherwise MEMPHIS_NONE. */
	uint32_t instruction;
	uint32_t chain; /* row of profile->chains, or MEMPHIS_NONE */
	uint64_t count;
};

/* A row below a variable. All strings belong to the profile. */
struct memphis_leaf_row {
	enum memphis_leaf kind; /* the same as in the view */
	struct memphis_sum sum;
	/*
	 * The code of the row. The line is in the program, not in a system header. For library code, it is the line
	 * that calls the library, if the callers are known. A row of a member has no code.
	 */
	const char *path;  /* path of the source file, or NULL */
	unsigned int line; /* 0: the line is unknown, or the row is a function */
	/* the instruction has no line, and `line` is that of the nearest code in its function */
	bool approximate;
	const char *function;   /* name of the function, or NULL */
	const char *object;     /* path of the binary, or NULL */
	uint32_t object_number; /* index in profile->objects, or MEMPHIS_NONE */
	uint64_t pc;            /* lowest address of the instructions of the row */
	struct {
		/*
		 * `inlined` are the inlined calls that enclose the line. `library` is code of system headers that is
		 * inlined in it. Both have the innermost frame first.
		 */
		const struct memphis_profile_frame *inlined, *library;
		size_t inlined_count, library_count;
		const char *via; /* function of a library that the line called (view/via.h), or NULL */
		/* Type and member that the instruction accesses. NULL: they are unknown, or the line calls a library. */
		const char *type, *member;
	} instruction; /* all 0 in rows that are not instructions */
	struct {
		const char *name; /* NULL: the row is the whole variable, because its members are unknown */
		/* offset of the member in its element; size of the element */
		uint32_t offset, element_bytes;
	} field;                          /* all 0 in rows that are not members */
	struct memphis_row_chain *chains; /* sorted by count, descending */
	size_t chain_count;
};

struct memphis_variable_row {
	const char *segment, *name;
	const char *shown;            /* the name, with a suffix if other variables have the same name */
	const char *qualified, *site; /* as in struct memphis_variable, or NULL */
	const char *object, *declared, *unit;
	enum memphis_how how;
	enum memphis_no_name why_not;
	uint32_t variable; /* index in the profile */
	struct memphis_sum sum;
	/* number of samples by home node, with the same indices as rows->homes */
	uint64_t *homes;
	/* number of samples by the reason why they have no variable */
	uint64_t reasons[MEMPHIS_UNATTRIBUTED_REASONS];
	struct memphis_leaf_row *leaves;
	size_t leaf_count;
};

struct memphis_node_row {
	uint32_t group; /* region, thread or home node, according to view->group; otherwise 0 */
	uint32_t node;
	uint64_t total;
	struct memphis_variable_row *variables;
	size_t variable_count;
};

/* The samples from one node that have the same home node. */
struct memphis_pair {
	uint16_t node, home;
	struct memphis_sum sum;
};

struct memphis_rows {
	const struct memphis_profile *profile;
	const struct memphis_view *view;
	/* the processes ran on several hosts, so a pid alone is ambiguous */
	bool several_hosts;
	struct memphis_node_row *nodes; /* sorted by group, then node */
	size_t node_count, node_room;
	/* waiting of all loads; the sums of the rows are computed with it */
	struct memphis_waiting waiting;
	uint64_t selected, attributed;
	struct memphis_sum estimated; /* the part of `attributed` whose variable is only estimated */
	/*
	 * Number of samples outside the program's own code, by the reason why their callers are unknown. Element 0:
	 * the callers are known.
	 */
	uint64_t callers[MEMPHIS_NO_CALLERS_CHECK + 1];
	uint64_t unattributed[MEMPHIS_UNATTRIBUTED_REASONS];
	/* pairs of nodes with samples, sorted by accessing node, then by home node */
	struct memphis_pair *matrix;
	size_t pair_count, pair_room;
	uint16_t *homes; /* home nodes of all samples, ascending */
	size_t home_count, home_room;
	/* The members below are the memory of the rows above. */
	struct memphis_variable_row *variables;
	uint64_t *variable_homes;
	struct memphis_leaf_row *leaves;
	size_t leaf_count;
	struct memphis_row_chain *chains;
	size_t chain_count;
	struct memphis_leaf_row *fields; /* members; they replace other leaves if they are known */
	size_t field_count;
};

/*
 * Builds the table. Returns 0 or -ENOMEM. The caller must close the table in both cases. The profile must not change
 * while the table is in use.
 */
int memphis_rows_build(struct memphis_rows *rows, const struct memphis_profile *profile,
		       const struct memphis_view *view);
void memphis_rows_close(struct memphis_rows *rows);

/*
 * Returns the group to which the cell belongs. This is a region, a thread or a home node, according to view->group, or
 * 0 if there are no groups.
 */
uint32_t memphis_rows_group_of(const struct memphis_view *view, const struct memphis_cell *cell);

/*
 * Returns whether the name of the variable is an estimate. This is so if its samples are in small blocks that were not
 * recorded.
 */
bool memphis_is_estimated(const struct memphis_variable_row *row);

/* Returns the number of rows of nodes in the group that begins at row `first`. Sets *total to the number of its samples. */
size_t memphis_rows_group(const struct memphis_rows *rows, size_t first, uint64_t *total);

/*
 * ---- the range of a variable's elements that has most of a row's samples ----
 */

/*
 * Returns the part of the variable that has 95 % of the row's samples. Returns NULL if the part is unknown, if it is
 * most of the variable, if it differs between processes, or if the rows are grouped.
 */
const struct memphis_heatmap_part *memphis_hot_part(const struct memphis_rows *rows, uint32_t node,
						    const struct memphis_variable_row *row);

#endif
