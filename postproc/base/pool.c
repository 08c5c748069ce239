// SPDX-License-Identifier: BSD-3-Clause
/* String pool: a hash table with open addressing and linear probing over one text buffer. */
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
	free(strings->slots);
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

static int rehash(struct memphis_strings *strings, size_t slot_count)
{
	uint32_t *slots = calloc(slot_count, sizeof(*slots));
	size_t i, at;

	if (!slots)
		return -1;
	for (i = 0; i < strings->count; i++) {
		at = memphis_hash(memphis_strings_get(strings, i), memphis_strings_bytes(strings, i));
		for (at &= slot_count - 1; slots[at]; at = (at + 1) & (slot_count - 1))
			;
		slots[at] = i + 1;
	}
	free(strings->slots);
	strings->slots = slots;
	strings->slot_count = slot_count;
	return 0;
}

static int store(struct memphis_strings *strings, const void *text, size_t bytes)
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

uint32_t memphis_strings_find(const struct memphis_strings *strings, const void *text, size_t bytes)
{
	uint32_t number;
	size_t at;

	if (!strings->count)
		return MEMPHIS_NO_STRING;
	at = memphis_hash(text, bytes) & (strings->slot_count - 1);
	for (; strings->slots[at]; at = (at + 1) & (strings->slot_count - 1)) {
		number = strings->slots[at] - 1;
		if (memphis_strings_bytes(strings, number) == bytes &&
		    !memcmp(memphis_strings_get(strings, number), text, bytes))
			return number;
	}
	return MEMPHIS_NO_STRING;
}

uint32_t memphis_strings_add(struct memphis_strings *strings, const void *text, size_t bytes)
{
	uint32_t number;
	size_t at;

	if (!strings->count && (rehash(strings, 64) || store(strings, "", 0) || rehash(strings, 64)))
		return MEMPHIS_NO_STRING;
	number = memphis_strings_find(strings, text, bytes);
	if (number != MEMPHIS_NO_STRING)
		return number;
	if (strings->count * 2 >= strings->slot_count && rehash(strings, strings->slot_count * 2))
		return MEMPHIS_NO_STRING;
	at = memphis_hash(text, bytes) & (strings->slot_count - 1);
	while (strings->slots[at])
		at = (at + 1) & (strings->slot_count - 1);
	if (store(strings, text, bytes))
		return MEMPHIS_NO_STRING;
	strings->slots[at] = strings->count;
	return strings->count - 1;
}

uint32_t memphis_strings_add_text(struct memphis_strings *strings, const char *text)
{
	return memphis_strings_add(strings, text, strlen(text));
}
