/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside of variables: which element, and which member of it, stands at an offset. */
#ifndef MEMPHIS_FIELD_H
#define MEMPHIS_FIELD_H

#include <stdint.h>

struct memphis_field {
	uint64_t
		element_bytes; /* of what the variable, or the block, is an array of; else of the whole variable */
	uint64_t element_count; /* declared; 1: no array; 0: a block, whose size tells, or not declared */
	uint64_t element;       /* number of the one at the offset, from 0 */
	uint64_t member_offset; /* in the element, where the innermost member begins ... */
	uint64_t member_bytes;  /* ... and its size, of one element if it is an array */
	char *path;             /* "halo.low[3]", "halo%low(4)"; "" = the elements have no members */
	char *member;           /* the same without indices: "halo.low" */
};

void memphis_field_close(struct memphis_field *field);

#endif
