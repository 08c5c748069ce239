/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank, bounds and extents of an array, read from its DWARF type. */
#ifndef MEMPHIS_SHAPE_H
#define MEMPHIS_SHAPE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

#define MEMPHIS_RANK_MAX 15 /* Fortran 2018; further dimensions are ignored */

/* Dimensions are in source order. */
struct memphis_shape {
	unsigned int rank;
	uint64_t extent[MEMPHIS_RANK_MAX]; /* 0 = not declared */
	int64_t lower[MEMPHIS_RANK_MAX];
	uint64_t count; /* number of elements, 0 = unknown */
};

void memphis_shape_of(Dwarf_Die *array, bool fortran, struct memphis_shape *shape);

/* Appends the indices of the element at position `at` in memory order, counted from 0: "[2][3]", "(4,3)". */
void memphis_shape_put_indices(const struct memphis_shape *shape, bool fortran, uint64_t at,
			       struct memphis_text *path);

/* Reads the attribute `name` as a constant; false if it is missing or computed at run time. */
bool memphis_die_number(Dwarf_Die *die, unsigned int name, int64_t *value);

#endif
