/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hash index for an array of the caller, with open addressing and linear probing. At most half of the slots
 * are in use. It is for performance-critical tables (docs/performance.md has the measurement). All other
 * tables use base/uthash.h. The caller hashes the keys and stores the elements. The table stores only
 * indices, so the array may be reallocated and stays in insertion order. A zeroed table is empty.
 */
#ifndef MEMPHIS_TABLE_H
#define MEMPHIS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The stored hash decides most comparisons without access to the element. It also lets the table grow without
 * access to the keys.
 */
struct memphis_table_slot {
	uint32_t hash;
	uint32_t number; /* index in the array + 1; 0 = free slot */
};

struct memphis_table {
	struct memphis_table_slot *slots;
	size_t slot_count, used; /* slot_count: 0 or a power of two */
};

int memphis_table_grow(struct memphis_table *table);

/* Makes room for one more element, which invalidates pointers to slots. Returns 0 or -ENOMEM. */
static inline int memphis_table_reserve(struct memphis_table *table)
{
	return table->used * 2 < table->slot_count ? 0 : memphis_table_grow(table);
}

/* Compares an element with a key. Define it in the calling file, so that memphis_table_find() can inline it. */
typedef bool memphis_table_equal(const void *array, uint32_t index, const void *key);

/*
 * Returns the slot of the element that equals `key`. If there is none, returns the free slot for it. The
 * table must have slots, so call memphis_table_reserve() first.
 */
static inline __attribute__((always_inline)) struct memphis_table_slot *
memphis_table_find(const struct memphis_table *table, uint64_t hash, memphis_table_equal *equal,
		   const void *array, const void *key)
{
	size_t at = (uint32_t)hash & (table->slot_count - 1);

	while (table->slots[at].number &&
	       (table->slots[at].hash != (uint32_t)hash || !equal(array, table->slots[at].number - 1, key)))
		at = (at + 1) & (table->slot_count - 1);
	return &table->slots[at];
}

/* Fills the free slot that memphis_table_find() returned after memphis_table_reserve(). */
static inline void memphis_table_fill(struct memphis_table *table, struct memphis_table_slot *slot,
				      uint64_t hash, size_t index)
{
	slot->hash = (uint32_t)hash;
	slot->number = (uint32_t)index + 1;
	table->used++;
}

void memphis_table_close(struct memphis_table *table);

#endif
