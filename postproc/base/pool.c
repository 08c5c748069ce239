// SPDX-License-Identifier: BSD-3-Clause
/* String pool: a hash table over one text buffer. */
#include "base/pool.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

uint64_t memphis_hash(const void *data, size_t bytes)
{
	const unsigned char *p = data;
	uint64_t hash = 0x9e3779b97f4a7c15ULL ^ bytes, word;

	for (; bytes >= 8; bytes -= 8, p += 8) {
		memcpy(&word, p, 8);
		hash = (hash ^ word) * 0xff51afd7ed558ccdULL;
		hash ^= hash >> 32;
	}
	for (word = 0; bytes; bytes--)
		word = word << 8 | *p++;
	hash = (hash ^ word) * 0xc4ceb9fe1a85ec53ULL;
	return hash ^ hash >> 29;
}

void memphis_strings_close(struct memphis_strings *strings)
{
	free(strings->text);
	free(strings->starts);
	memphis_table_close(&strings->table);
	memset(strings, 0, sizeof(*strings));
}

const char *memphis_strings_get(const struct memphis_strings *strings, uint32_t number)
{
	return number < strings->count ? strings->text + strings->starts[number] : "";
}

size_t memphis_strings_bytes(const struct memphis_strings *strings, uint32_t number)
{
	size_t end;

	if (number >= strings->count)
		return 0;
	end = number + 1 < strings->count ? strings->starts[number + 1] : strings->bytes;
	return end - strings->starts[number] - 1;
}

static int append_text(struct memphis_strings *strings, const void *text, size_t bytes)
{
	if (strings->bytes + bytes + 1 > UINT32_MAX / 2)
		return -1;
	if (memphis_grow(&strings->text, &strings->room, strings->bytes + bytes + 1, 1))
		return -1;
	if (memphis_grow(&strings->starts, &strings->starts_room, strings->count + 1, sizeof(uint32_t)))
		return -1;
	if (bytes)
		memcpy(strings->text + strings->bytes, text, bytes);
	strings->text[strings->bytes + bytes] = 0;
	strings->starts[strings->count++] = strings->bytes;
	strings->bytes += bytes + 1;
	return 0;
}

/* The string that is searched for. */
struct wanted {
	const void *text;
	size_t bytes;
};

static bool has_text(const void *strings, uint32_t number, const void *key)
{
	const struct wanted *wanted = key;

	return memphis_strings_bytes(strings, number) == wanted->bytes &&
	       !memcmp(memphis_strings_get(strings, number), wanted->text, wanted->bytes);
}

uint32_t memphis_strings_find(const struct memphis_strings *strings, const void *text, size_t bytes)
{
	const struct wanted wanted = {text, bytes};
	const struct memphis_table_slot *slot;

	if (!strings->count)
		return MEMPHIS_NO_STRING;
	slot = memphis_table_find(&strings->table, memphis_hash(text, bytes), has_text, strings, &wanted);
	return slot->number ? slot->number - 1 : MEMPHIS_NO_STRING;
}

static uint32_t add_text(struct memphis_strings *strings, const void *text, size_t bytes)
{
	const struct wanted wanted = {text, bytes};
	const uint64_t hash = memphis_hash(text, bytes);
	struct memphis_table_slot *slot;

	if (memphis_table_reserve(&strings->table))
		return MEMPHIS_NO_STRING;
	slot = memphis_table_find(&strings->table, hash, has_text, strings, &wanted);
	if (slot->number)
		return slot->number - 1;
	if (append_text(strings, text, bytes))
		return MEMPHIS_NO_STRING;
	memphis_table_fill(&strings->table, slot, hash, strings->count - 1);
	return slot->number - 1;
}

uint32_t memphis_strings_add(struct memphis_strings *strings, const void *text, size_t bytes)
{
	if (!strings->count && add_text(strings, "", 0) == MEMPHIS_NO_STRING)
		return MEMPHIS_NO_STRING;
	return add_text(strings, text, bytes);
}

uint32_t memphis_strings_add_text(struct memphis_strings *strings, const char *text)
{
	return memphis_strings_add(strings, text, strlen(text));
}
