/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Describes the element of a variable that contains a given offset, and the innermost member at that offset.
 */
#ifndef MEMPHIS_FIELD_H
#define MEMPHIS_FIELD_H

#include <stdbool.h>
#include <stdint.h>

#include "dwarf/type/shape.h"

struct memphis_field {
	uint64_t element_bytes; /* size of an array element, or of the whole variable if it is not an array */
	/*
	 * number of elements as declared; 1 if not an array; 0 if undeclared, or for a heap block, whose size
	 * determines it
	 */
	uint64_t element_count;
	uint64_t element;       /* index, from 0, of the element at the offset */
	uint64_t member_offset; /* offset of the innermost member in the element ... */
	uint64_t member_bytes;  /* ... and its size; of one element, if the member is itself an array */
	bool fortran;
	struct memphis_shape shape; /* of the array of elements; rank 0 if it is unknown or not an array */
	char *path;                 /* "halo.low[3]", "halo%low(4)"; "" if the elements have no members */
	char *member;               /* `path` without indices: "halo.low" */
};

void memphis_field_close(struct memphis_field *field);

#endif
