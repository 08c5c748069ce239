/* SPDX-License-Identifier: BSD-3-Clause */
/* The loads of pattern.h inside a caliper. Prints the bounds of the memory of node 1. */
#include <memphis.h>

#include <stdio.h>

#include "pattern.h"

#define LOADS  2000000u
#define ROUNDS 800u

int main(void)
{
	struct pattern_memory memory = pattern_prepare(ROUNDS);

	pattern_start_writer();
	if (memphis_begin("Loads"))
		return 1;
	pattern_load(LOADS);
	if (memphis_end("Loads"))
		return 1;
	pattern_join_writer();
	printf("%#lx %#lx\n", (unsigned long)memory.far, (unsigned long)memory.far_end);
	return 0;
}
