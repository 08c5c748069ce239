/* SPDX-License-Identifier: BSD-3-Clause */
/* The dimensions of an array, as DWARF has them. */
#ifndef MEMPHIS_SHAPE_H
#define MEMPHIS_SHAPE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

#define MEMPHIS_RANK_MAX 15 /* Fortran 2018; further dimensions are left out */

/* In the order in which the language lists them. */
struct memphis_shape {
	unsigned int rank;
	uint64_t extent[MEMPHIS_RANK_MAX]; /* 0 = not declared */
	int64_t lower[MEMPHIS_RANK_MAX];
	uint64_t count; /* of elements, 0 = not known */
};

void memphis_shape_of(Dwarf_Die *array, bool fortran, struct memphis_shape *shape);

/* Appends the indices of element number `at`, counted from 0 in memory: "[2][3]", "(4,3)". */
void memphis_shape_put_indices(const struct memphis_shape *shape, bool fortran, uint64_t at,
			       struct memphis_text *path);

/* The attribute `name` as a number; false: it has none, or is computed. */
bool memphis_die_number(Dwarf_Die *die, unsigned int name, int64_t *value);

#endif
