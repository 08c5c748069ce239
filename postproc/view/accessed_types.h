/* SPDX-License-Identifier: BSD-3-Clause */
/* The types and members that the selected samples access: of each variable, and over all variables. */
#ifndef MEMPHIS_ACCESSED_TYPES_H
#define MEMPHIS_ACCESSED_TYPES_H

#include "view/rows.h"

/* The samples of a variable row that access one member. Strings belong to the profile. */
struct memphis_variable_type {
	uint32_t group, node, variable; /* group, node and variable of the row */
	const char *type, *member;      /* NULL if unknown, for the reason `no_type` */
	uint32_t no_type;
	uint64_t count, stores;
};

/* A part of a group below: a member of a type, or a variable whose samples access the member. */
struct memphis_type_part {
	const char *name; /* the member; NULL if the part is a variable, with this index in the profile */
	uint32_t variable;
	uint64_t count, stores;
};

/* A type or a member, over all variables. */
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
	/* Sorted by row; the entries of a row by count, descending, with unknown types last. */
	struct memphis_variable_type *list;
	size_t count;
	struct memphis_type_groups types, members;
	uint64_t known;                            /* number of samples with a type */
	uint64_t unknown[MEMPHIS_NO_TYPE_REASONS]; /* numbers of samples without a type, by reason */
	/*
	 * The member of some samples is also known from their address and the type of the variable: the number of these samples, and of
	 * those among them for which the two members differ.
	 */
	uint64_t compared, contradicted;
};

/* Builds the tables for the samples of the rows. Returns 0 or -ENOMEM; close it in either case. */
int memphis_types_build(struct memphis_types *types, const struct memphis_rows *rows);
void memphis_types_close(struct memphis_types *types);

/* Returns the entries of a variable row; stores their number in *count. */
const struct memphis_variable_type *memphis_types_of(const struct memphis_types *types,
						     const struct memphis_node_row *node,
						     const struct memphis_variable_row *row, size_t *count);

#endif
