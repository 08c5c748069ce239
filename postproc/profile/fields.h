/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside of variables: which element, and which member of it, stands at an offset. */
#ifndef MEMPHIS_FIELDS_H
#define MEMPHIS_FIELDS_H

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

struct memphis_namer;
struct memphis_owner;

/*
 * What stands at `offset` in the variable, of kind STATIC or GROUP. 0, -ENOENT where nothing tells of its type, or -ENOMEM.
 * Only then is there nothing to close.
 */
int memphis_field_of(struct memphis_namer *namer, const struct memphis_owner *owner, uint64_t offset,
		     struct memphis_field *field);

/*
 * Where the first element of the variable begins: behind the cookie of a C++ array that is destroyed. 0, or as above; the offset that
 * memphis_field_of() takes is from there on.
 */
int memphis_field_origin(struct memphis_namer *namer, const struct memphis_owner *owner, uint64_t *origin);
void memphis_field_close(struct memphis_field *field);

#endif
