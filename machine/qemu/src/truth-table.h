/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hash tables of exact counts. A row begins with its key, which consists of words of 64 bits. */
#ifndef TARGET_I386_TRUTH_TABLE_H
#define TARGET_I386_TRUTH_TABLE_H

/* Hash table with open addressing and linear probing; a row is free while used[] of its slot is 0. */
typedef struct Table {
	size_t row_bytes, key_bytes;
	size_t size, count;
	uint8_t *used;
	uint8_t *rows; /* the first one begins a line of the host's caches */
} Table;

void table_init(Table *t, size_t row_bytes, size_t key_bytes);
void table_clear(Table *t);
/* Frees the rows; the table can be initialized again. */
void table_free(Table *t);
/* Returns the key's row, which is added with counts of zero if there is none. Invalid after the next row is added. */
void *table_row(Table *t, const uint64_t *key);
/* The same, faster if it is the row at this slot; notes the slot of the row that is returned. */
void *table_row_near(Table *t, const uint64_t *key, uint32_t *slot);
/* Returns the next row, from *at = 0 on; NULL after the last one. */
const void *table_next(const Table *t, size_t *at);

#endif
