/* SPDX-License-Identifier: BSD-3-Clause */
/* The table behind every output: node, variable, instruction, in the order in which they are shown. */
#ifndef MEMPHIS_ROWS_H
#define MEMPHIS_ROWS_H

#include "names.h"
#include "symbols.h"

struct memphis_instruction_row {
	const char *path;                    /* of the source file, or NULL */
	unsigned int line;                   /* 0 = not known */
	const char *function;                /* or NULL */
	const char *object;                  /* path of the binary, or NULL */
	const struct memphis_frame *inlined; /* calls around, innermost first; functions and call sites */
	size_t inlined_count;
	uint64_t pc, low, high, count;
};

struct memphis_variable_row {
	const struct memphis_description *description;
	uint64_t low, high, count;
	uint64_t reasons[MEMPHIS_UNATTRIBUTED_REASONS]; /* why the samples have no variable, if so */
	struct memphis_instruction_row *instructions;
	size_t instruction_count;
};

struct memphis_node_row {
	uint32_t node;
	uint32_t region; /* row of memphis_regions: 0 unless each is counted apart */
	uint64_t total;
	struct memphis_variable_row *variables;
	size_t variable_count;
};

struct memphis_rows {
	struct memphis_node_row *nodes; /* those of a region stand together */
	size_t node_count, node_room;
	uint64_t selected, attributed;
	uint64_t unattributed[MEMPHIS_UNATTRIBUTED_REASONS];
	/* what the rows point to */
	struct memphis_description *descriptions;
	size_t description_count, description_room;
	struct memphis_variable_row *variables;
	struct memphis_instruction_row *instructions;
	size_t instruction_count;
	struct memphis_frame *frames;
	size_t frame_count, frame_room;
};

/* Builds the table of join->profile. 0 or -ENOMEM. Close it in either case. */
int memphis_rows_build(struct memphis_rows *rows, struct memphis_namer *namer);
void memphis_rows_close(struct memphis_rows *rows);

#endif
