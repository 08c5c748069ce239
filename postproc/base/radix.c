// SPDX-License-Identifier: BSD-3-Clause
/* Radix sort, from the least significant digit on. */
#include "base/radix.h"

#define DIGIT_BITS 8
#define DIGITS     (1u << DIGIT_BITS)

static unsigned int digit_of(uint64_t key, unsigned int shift)
{
	return key >> shift & (DIGITS - 1);
}

static void sort_by_digit(const struct memphis_keyed *from, struct memphis_keyed *to, size_t count,
			  unsigned int shift)
{
	size_t places[DIGITS] = {0}, place = 0, number, i;
	unsigned int digit;

	for (i = 0; i < count; i++)
		places[digit_of(from[i].key, shift)]++;
	for (digit = 0; digit < DIGITS; digit++) {
		number = places[digit];
		places[digit] = place;
		place += number;
	}
	for (i = 0; i < count; i++)
		to[places[digit_of(from[i].key, shift)]++] = from[i];
}

struct memphis_keyed *memphis_radix_sort(struct memphis_keyed *list, struct memphis_keyed *spare,
					 size_t count)
{
	struct memphis_keyed *sorted = list, *other = spare, *swapped;
	uint64_t differing = 0;
	unsigned int shift;
	size_t i;

	for (i = 1; i < count; i++)
		differing |= list[i].key ^ list[0].key;
	for (shift = 0; shift < 64; shift += DIGIT_BITS) {
		if (!digit_of(differing, shift))
			continue;
		sort_by_digit(sorted, other, count, shift);
		swapped = sorted;
		sorted = other;
		other = swapped;
	}
	return sorted;
}
