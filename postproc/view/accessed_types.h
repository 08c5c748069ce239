/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the types and members that the selected samples access, for each variable and for all variables together. */
#ifndef MEMPHIS_ACCESSED_TYPES_H
#define MEMPHIS_ACCESSED_TYPES_H

#include "view/rows.h"

/* The samples of one row of a variable that access one member. The strings belong to the profile. */
struct memphis_variable_type {
	uint32_t group, node, variable; /* group, node and variable of this row */
	const char *type, *member;      /* NULL: unknown, and `no_type` has the reason */
	uint32_t no_type;
	uint64_t count, stores;
};

/* A part of a group: a member if the group is a type, or a variable whose samples access the member if the group is a member. */
struct memphis_type_part {
	/* name of the member; NULL: the part is the variable with this index in the profile */
	const char *name;
	uint32_t variable;
	uint64_t count, stores;
};

/* All samples that access one type, or one member, of any variable. */
struct memphis_type_group {
	const char *name;
	uint64_t count, stores;
	const struct memphis_type_part *parts; /* sorted by count, descending */
	size_t part_count;
};

struct memphis_type_groups {
	struct memphis_type_group *list; /* sorted by count, descending */
	size_t count;
	struct memphis_type_part *parts;
};

struct memphis_types {
	/* Sorted by row. The entries of the same row are sorted by count, descending, with unknown types last. */
	struct memphis_variable_type *list;
	size_t count;
	struct memphis_type_groups types, members;
	uint64_t known;                            /* number of samples with a type */
	uint64_t unknown[MEMPHIS_NO_TYPE_REASONS]; /* number of samples without a type, by reason */
	/*
	 * `compared` is the number of samples whose member is known twice: from the instruction, and from the address
	 * and the type of the variable. `contradicted` is the number of these for which the two members differ.
	 */
	uint64_t compared, contradicted;
};

/* Builds the tables for the samples of the rows. Returns 0 or -ENOMEM. The caller must close the tables in both cases. */
int memphis_types_build(struct memphis_types *types, const struct memphis_rows *rows);
void memphis_types_close(struct memphis_types *types);

/* Returns the entries of one row of a variable, and sets *count to their number. */
const struct memphis_variable_type *memphis_types_of(const struct memphis_types *types,
						     const struct memphis_node_row *node,
						     const struct memphis_variable_row *row, size_t *count);

#endif
