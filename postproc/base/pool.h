/* SPDX-License-Identifier: BSD-3-Clause */
/* String pool: each string is stored once and identified by a small number. Number 0 is the empty string. */
#ifndef MEMPHIS_POOL_H
#define MEMPHIS_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "base/table.h"

#define MEMPHIS_NO_STRING UINT32_MAX

struct memphis_strings {
	char *text;
	size_t bytes, room;
	uint32_t *starts; /* offset in `text`, indexed by number */
	size_t count, starts_room;
	struct memphis_table table; /* the strings, found by content */
};

void memphis_strings_close(struct memphis_strings *strings);

/*
 * Adds the string of `bytes` bytes (NULs allowed) if it is new. Returns the number of the string, or
 * MEMPHIS_NO_STRING if memory is exhausted.
 */
uint32_t memphis_strings_add(struct memphis_strings *strings, const void *text, size_t bytes);
/* Returns the number of the string, or MEMPHIS_NO_STRING if it is not in the pool. */
uint32_t memphis_strings_find(const struct memphis_strings *strings, const void *text, size_t bytes);
uint32_t memphis_strings_add_text(struct memphis_strings *strings, const char *text);

/* Returns the string, which ends with a NUL. The pointer is valid until the next string is added. */
const char *memphis_strings_get(const struct memphis_strings *strings, uint32_t number);
size_t memphis_strings_bytes(const struct memphis_strings *strings, uint32_t number);

uint64_t memphis_hash(const void *data, size_t bytes);

#endif
