/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the rank, bounds and extents of an array from its DWARF type. */
#ifndef MEMPHIS_SHAPE_H
#define MEMPHIS_SHAPE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

#define MEMPHIS_RANK_MAX 15 /* limit of Fortran 2018; further dimensions are ignored */

/* Shape of an array; dimensions are in the order of the source. */
struct memphis_shape {
	unsigned int rank;
	uint64_t extent[MEMPHIS_RANK_MAX]; /* 0 if not declared */
	int64_t lower[MEMPHIS_RANK_MAX];
	uint64_t count; /* number of elements; 0 if unknown */
};

void memphis_shape_read(Dwarf_Die *array, bool fortran, struct memphis_shape *shape);

/* Appends the indices ("[2][3]", "(4,3)") of the element that is number `at`, from 0, in memory. */
void memphis_shape_put_indices(const struct memphis_shape *shape, bool fortran, uint64_t at,
			       struct memphis_text *path);

/*
 * Appends the indices of the elements `first` to `last` of `elements`, all in memory order and counted from 0: "[30..59]". Only the
 * dimension that varies slowest gets a range: in Fortran "(:,:,3..4)", or "(:,:,50%..75%)" if the extents of the others are not known;
 * unknown lower bounds count as 1. Returns false, and appends nothing, if the range is the whole dimension or the shape is unknown.
 */
bool memphis_shape_put_part(const struct memphis_shape *shape, bool fortran, uint64_t first, uint64_t last,
			    uint64_t elements, struct memphis_text *text);

#endif
