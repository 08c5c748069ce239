// SPDX-License-Identifier: BSD-3-Clause
/* Sorting by numbers. If this fails, samples are summed in the wrong rows, and perf's records are read in the wrong order. */
#include "base/radix.h"

#include "../../tap.h"

static bool is_sorted_as(const struct memphis_keyed *sorted, const uint64_t *keys, const uint64_t *values,
			 size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (sorted[i].key != keys[i] || sorted[i].value != values[i])
			return false;
	return true;
}

static void test_order(void)
{
	struct memphis_keyed list[] = {{UINT64_MAX, 1}, {0x100, 2},         {0, 3}, {0x8000000000000000, 4},
				       {0xff, 5},       {0x10000000000, 6}, {1, 7}, {0x7fffffffffffffff, 8}},
			     spare[8];
	const uint64_t keys[] =
		{0, 1, 0xff, 0x100, 0x10000000000, 0x7fffffffffffffff, 0x8000000000000000, UINT64_MAX},
		       values[] = {3, 7, 5, 2, 6, 8, 4, 1};

	ok(is_sorted_as(memphis_radix_sort(list, spare, 8), keys, values, 8),
	   "keys that differ in each digit are in ascending order");
}

static void test_stability(void)
{
	struct memphis_keyed list[] = {{0x200, 1}, {0x100, 2}, {0x200, 3}, {0x100, 4}}, spare[4];
	const uint64_t keys[] = {0x100, 0x100, 0x200, 0x200}, values[] = {2, 4, 1, 3};

	ok(is_sorted_as(memphis_radix_sort(list, spare, 4), keys, values, 4),
	   "elements with equal keys keep their order");
}

static void test_nothing_to_do(void)
{
	struct memphis_keyed list[] = {{7, 1}, {7, 2}}, spare[2];

	ok(memphis_radix_sort(list, spare, 2) == list && list[0].value == 1 && list[1].value == 2,
	   "elements whose keys are all equal stay where they are");
	ok(memphis_radix_sort(list, spare, 0) == list, "an empty list is sorted");
}

int main(void)
{
	test_order();
	test_stability();
	test_nothing_to_do();
	return finish();
}
