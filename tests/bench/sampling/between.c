// SPDX-License-Identifier: BSD-3-Clause
/*
 * Counts the interrupts between pairs of calipers, where nothing should be sampled, and those inside pairs.
 * usage: between CHAIN     prints "inside N between N"
 */
#include <inttypes.h>

#include <memphis.h>

#include "chase.h"
#include "delivered.h"

#define PAIRS 8
#define LOADS 1000000

int main(int argc, char **argv)
{
	uint64_t inside = 0, between = 0, before, began, ended;
	void **at;
	int i;

	if (argc != 2)
		return 2;
	at = chase_begin(argv[1]);
	before = delivered();
	for (i = 0; i < PAIRS; i++) {
		began = delivered();
		between += began - before;
		if (memphis_begin("pair"))
			return 1;
		at = chase(at, LOADS);
		if (memphis_end("pair"))
			return 1;
		ended = delivered();
		inside += ended - began;
		at = chase(at, LOADS);
		before = ended;
	}
	between += delivered() - before;
	printf("inside %" PRIu64 " between %" PRIu64 "\n", inside, between);
	return !at;
}
