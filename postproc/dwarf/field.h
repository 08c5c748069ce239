/* SPDX-License-Identifier: BSD-3-Clause */
/* The element, and its innermost member, at an offset in a variable. */
#ifndef MEMPHIS_FIELD_H
#define MEMPHIS_FIELD_H

#include <stdint.h>

struct memphis_field {
	uint64_t element_bytes; /* size of an array element; of the whole variable if it is no array */
	/* declared; 1: no array; 0: undeclared, or a heap block, whose size determines it */
	uint64_t element_count;
	uint64_t element;       /* index of the element at the offset, from 0 */
	uint64_t member_offset; /* offset of the innermost member in the element ... */
	uint64_t member_bytes;  /* ... and its size; of one element if the member is an array */
	char *path;             /* "halo.low[3]", "halo%low(4)"; "": the elements have no members */
	char *member;           /* the same without indices: "halo.low" */
};

void memphis_field_close(struct memphis_field *field);

#endif
