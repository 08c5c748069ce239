/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hash tables of exact counts: see truth-table.h. */
#include "qemu/osdep.h"
#include "qemu/madvise.h"
#include "qemu/memalign.h"
#include "truth-table.h"

#define HASH_START (1u << 12)
#define HUGE_PAGE  (2u << 20)

static void allocate(Table *t, size_t size)
{
	size_t bytes = size * t->row_bytes;

	t->size = size;
	t->used = g_malloc0(size);
	if (bytes >= HUGE_PAGE) {
		t->rows = qemu_memalign(HUGE_PAGE, bytes);
		/* Rows are found all over the table: with small pages, most of the time is that of the host's page walks. */
		qemu_madvise(t->rows, bytes, QEMU_MADV_HUGEPAGE);
	} else {
		t->rows = qemu_memalign(64, bytes);
	}
	memset(t->rows, 0, bytes);
}

void table_init(Table *t, size_t row_bytes, size_t key_bytes)
{
	t->row_bytes = row_bytes;
	t->key_bytes = key_bytes;
	t->count = 0;
	allocate(t, HASH_START);
}

void table_free(Table *t)
{
	g_free(t->used);
	qemu_vfree(t->rows);
}

void table_clear(Table *t)
{
	table_free(t);
	table_init(t, t->row_bytes, t->key_bytes);
}

static inline bool has_key(const Table *t, size_t slot, const uint64_t *key)
{
	const uint64_t *row = (const uint64_t *)(t->rows + slot * t->row_bytes);
	size_t i;

	for (i = 0; i < t->key_bytes / 8; i++) {
		if (row[i] != key[i]) {
			return false;
		}
	}
	return true;
}

static size_t table_slot(const Table *t, const uint64_t *key)
{
	uint64_t hash = 0;
	size_t i, slot;

	for (i = 0; i < t->key_bytes / 8; i++) {
		hash = (hash ^ key[i]) * 0x9e3779b97f4a7c15ull;
		hash ^= hash >> 29;
	}
	slot = hash & (t->size - 1);
	while (t->used[slot] && !has_key(t, slot, key)) {
		slot = (slot + 1) & (t->size - 1);
	}
	return slot;
}

static void table_grow(Table *t)
{
	Table old = *t;
	size_t i;

	allocate(t, 2 * old.size);
	for (i = 0; i < old.size; i++) {
		if (old.used[i]) {
			uint8_t *row = old.rows + i * old.row_bytes;
			size_t slot = table_slot(t, (uint64_t *)row);

			t->used[slot] = 1;
			memcpy(t->rows + slot * t->row_bytes, row, t->row_bytes);
		}
	}
	table_free(&old);
}

void *table_row(Table *t, const uint64_t *key)
{
	size_t slot = table_slot(t, key);

	if (!t->used[slot]) {
		if (++t->count * 3 > t->size * 2) {
			table_grow(t);
			slot = table_slot(t, key);
		}
		t->used[slot] = 1;
		memcpy(t->rows + slot * t->row_bytes, key, t->key_bytes);
	}
	return t->rows + slot * t->row_bytes;
}

void *table_row_near(Table *t, const uint64_t *key, uint32_t *slot)
{
	uint8_t *row;

	if (*slot < t->size && t->used[*slot] && has_key(t, *slot, key)) {
		return t->rows + *slot * t->row_bytes;
	}
	row = table_row(t, key);
	*slot = (row - t->rows) / t->row_bytes;
	return row;
}

const void *table_next(const Table *t, size_t *at)
{
	while (*at < t->size) {
		size_t slot = (*at)++;

		if (t->used[slot]) {
			return t->rows + slot * t->row_bytes;
		}
	}
	return NULL;
}
