// SPDX-License-Identifier: BSD-3-Clause
/* If this fails, hot tables of the post-processor lose elements or mix them up. */
#include "base/table.h"

#include "../../tap.h"
#include "base/pool.h"

#define COUNT 5000

static bool equals(const void *array, uint32_t index, const void *key)
{
	return ((const uint64_t *)array)[index] == *(const uint64_t *)key;
}

/* Checks consecutive elements with one hash for every `share` elements; consecutive hashes differ by `step`. */
static void check(uint64_t first_hash, uint64_t step, uint64_t share, const char *what)
{
	struct memphis_table table = {0};
	struct memphis_table_slot *slot;
	uint64_t list[COUNT], i, wrong = 0, absent = COUNT;

	for (i = 0; i < COUNT; i++) {
		list[i] = i;
		wrong += memphis_table_reserve(&table) != 0;
		slot = memphis_table_find(&table, first_hash + i / share * step, equals, list, &i);
		wrong += slot->number != 0;
		memphis_table_fill(&table, slot, first_hash + i / share * step, i);
		wrong += table.used != i + 1 || table.used * 2 > table.slot_count + 1;
	}
	for (i = 0; i < COUNT; i++) {
		slot = memphis_table_find(&table, first_hash + i / share * step, equals, list, &i);
		wrong += slot->number != i + 1;
		slot = memphis_table_find(&table, first_hash + i / share * step, equals, list, &absent);
		wrong += slot->number != 0;
	}
	ok(!wrong, what);
	memphis_table_close(&table);
	ok(!table.slots && !table.slot_count && !table.used, "a closed table is empty");
}

int main(void)
{
	struct memphis_strings strings = {0};
	uint32_t i, wrong = 0;
	char text[16];

	check(0, 1, 1, "elements with hashes in order are found, and no other");
	check(UINT32_MAX - 1000, 1, 1, "hashes that cross 32 bits");
	check(7, (uint64_t)1 << 32, 1, "hashes that differ in the upper half alone");
	check(UINT32_MAX, 0x9e3779b97f4a7c15ULL, 3, "equal hashes of different elements");

	ok(memphis_strings_find(&strings, "", 0) == MEMPHIS_NO_STRING, "an empty pool has no string");
	for (i = 1; i < COUNT; i++)
		wrong += memphis_strings_add(&strings, text, (size_t)sprintf(text, "s%u", i)) != i;
	for (i = 1; i < COUNT; i++)
		wrong += memphis_strings_add(&strings, text, (size_t)sprintf(text, "s%u", i)) != i;
	ok(!wrong && strings.count == COUNT,
	   "strings are numbered in the order in which they came, each once");
	ok(memphis_strings_find(&strings, "", 0) == 0 &&
		   memphis_strings_find(&strings, "s5000", 5) == MEMPHIS_NO_STRING &&
		   memphis_strings_find(&strings, "s42", 3) == 42 &&
		   memphis_strings_find(&strings, "s42", 4) == MEMPHIS_NO_STRING,
	   "number 0 is the empty string; strings are compared as a whole");
	memphis_strings_close(&strings);
	return finish();
}
