// SPDX-License-Identifier: BSD-3-Clause
/* Lookup of intervals by address. If this fails, addresses are found in the wrong blocks, variables and maps. */
#include "base/intervals.h"

#include <stdlib.h>

#include "../../tap.h"

static char found[4096];

static int note(void *data, const struct memphis_interval *interval)
{
	(void)data;
	sprintf(found + strlen(found), "%u ", interval->value);
	return 0;
}

static int stop(void *data, const struct memphis_interval *interval)
{
	*(uint32_t *)data = interval->value;
	return 7;
}

static const char *at(const struct memphis_intervals *intervals, uint64_t address)
{
	*found = 0;
	memphis_intervals_find(intervals, address, note, NULL);
	return found;
}

/* Compares the lookup with a linear scan, over many overlapping ranges. */
static void agrees_with_a_scan(void)
{
	struct memphis_intervals intervals = {0};
	uint64_t low[500], high[500], address;
	unsigned int i, seed = 1, wrong = 0;
	char *to;

	for (i = 0; i < 500; i++) {
		seed = seed * 1103515245 + 12345;
		low[i] = seed >> 16 & 0x3ff;
		seed = seed * 1103515245 + 12345;
		high[i] = low[i] + (seed >> 16 & 0x7);
		memphis_intervals_add(&intervals, low[i], high[i], i);
	}
	memphis_intervals_sort(&intervals);
	for (address = 0; address < 1040; address++) {
		unsigned long sum = 0, want = 0;

		at(&intervals, address);
		for (to = found; *to; to = strchr(to, ' ') + 1)
			sum += strtoul(to, NULL, 10) + 1;
		for (i = 0; i < 500; i++)
			want += low[i] <= address && address < high[i] ? i + 1 : 0;
		wrong += sum != want;
	}
	ok(!wrong, "every address finds exactly the ranges that a scan finds");
	memphis_intervals_close(&intervals);
}

int main(void)
{
	struct memphis_intervals intervals = {0};
	uint32_t value = 0;

	memphis_intervals_sort(&intervals);
	is_text(at(&intervals, 5), "", "without ranges nothing is found");
	memphis_intervals_add(&intervals, 10, 20, 1);
	memphis_intervals_add(&intervals, 0, 100, 2);
	memphis_intervals_add(&intervals, 15, 16, 3);
	memphis_intervals_add(&intervals, 50, 50, 4);
	memphis_intervals_add(&intervals, 10, 20, 5);
	memphis_intervals_add(&intervals, UINT64_MAX - 1, UINT64_MAX, 6);
	memphis_intervals_sort(&intervals);
	is_text(at(&intervals, 15), "2 1 5 3 ", "nested and equal ranges are all found, in order");
	is_text(at(&intervals, 20), "2 ", "the end of a range is outside");
	is_text(at(&intervals, 10), "2 1 5 ", "the start of a range is inside");
	is_text(at(&intervals, 50), "2 ", "an empty range contains nothing");
	is_text(at(&intervals, 100), "", "beyond the last range nothing is found");
	is_text(at(&intervals, UINT64_MAX - 1), "6 ", "the top of the address space is found");
	ok(memphis_intervals_find(&intervals, 15, stop, &value) == 7 && value == 2,
	   "a visitor can stop the search");
	memphis_intervals_close(&intervals);
	agrees_with_a_scan();
	return finish();
}
