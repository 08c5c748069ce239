/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the rank, bounds and extents of an array from its DWARF type. */
#ifndef MEMPHIS_SHAPE_H
#define MEMPHIS_SHAPE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

#define MEMPHIS_RANK_MAX 15 /* limit of Fortran 2018; further dimensions are ignored */

/* Shape of an array. The dimensions are in the order of the source. */
struct memphis_shape {
	unsigned int rank;
	uint64_t extent[MEMPHIS_RANK_MAX]; /* 0 if it is not declared */
	int64_t lower[MEMPHIS_RANK_MAX];
	uint64_t count; /* number of elements; 0 if unknown */
};

void memphis_shape_read(Dwarf_Die *array, bool fortran, struct memphis_shape *shape);

/* Appends the indices of element number `at`, counted from 0 in memory order: "[2][3]" or "(4,3)". */
void memphis_shape_put_indices(const struct memphis_shape *shape, bool fortran, uint64_t at,
			       struct memphis_text *path);

/*
 * Appends the indices of the elements `first` to `last` of an array with `elements` elements. The numbers
 * count from 0 in memory order. The result is "[30..59]", for example. Only the dimension that varies slowest
 * gets a range. In Fortran, this is "(:,:,3..4)", or "(:,:,50%..75%)" if the extents of the other dimensions
 * are unknown. Unknown lower bounds are taken as 1. Returns false, and appends nothing, if the range is the
 * whole dimension or the shape is unknown.
 */
bool memphis_shape_put_part(const struct memphis_shape *shape, bool fortran, uint64_t first, uint64_t last,
			    uint64_t elements, struct memphis_text *text);

#endif
