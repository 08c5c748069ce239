// SPDX-License-Identifier: BSD-3-Clause
/*
 * Neighbours that one node uses. If this fails, rows that threads use one by one are taken for data that all nodes read, of which each node should have a
 * copy; or data that all read for rows.
 */
#include "evidence/neighbours.h"

#include "../../tap.h"

#define SMALLER(...)                                                  \
	memphis_has_smaller_parts((const uint32_t[]){__VA_ARGS__}, 1, \
				  sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t) / 2, 2)

int main(void)
{
	ok(SMALLER(10, 0, 0, 10, 10, 0, 0, 10), "bins that nodes use in turn are smaller parts");
	ok(SMALLER(9, 1, 1, 9, 9, 1, 1, 9), "also if their neighbours use a little of them");
	ok(!SMALLER(5, 5, 5, 5, 5, 5, 5, 5), "bins that all nodes use are not");
	ok(!SMALLER(9, 1, 9, 1, 9, 1, 9, 1), "nor those that one node uses more than others");
	ok(!SMALLER(2, 0, 0, 2), "few samples show nothing");
	ok(!SMALLER(6000, 4000, 4000, 6000), "a small difference is none, however certain it is");
	ok(!SMALLER(0, 0, 0, 0), "no samples show nothing");
	ok(memphis_has_smaller_parts((const uint32_t[]){9, 0, 0, 9, 0, 9, 9, 0, 5, 5, 5, 5}, 3, 2, 2),
	   "pairs of several parts are added up");
	ok(!memphis_has_smaller_parts((const uint32_t[]){9, 0, 9, 0, 0, 9, 0, 9}, 2, 2, 2),
	   "parts that one node uses have no smaller ones");
	return finish();
}
