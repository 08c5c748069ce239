// SPDX-License-Identifier: BSD-3-Clause
/* Arrays in initialised and in zeroed static memory, and one that only a function sees. */
#include "native.h"

enum { COUNT = 1 << 13 };

static double zeroed[COUNT] __attribute__((aligned(4096)));
double shared[4][COUNT] __attribute__((aligned(4096))) = {{1}};

static double sum_of(int row)
{
	static double seen[COUNT] __attribute__((aligned(4096)));
	double sum = 0;

	native_watch(seen, sizeof(seen), "bss:sum_of::seen");
	for (int i = 0; i < COUNT; i++) {
		sum += zeroed[i];      /* expect: bss:zeroed */
		sum += shared[row][i]; /* expect: data:shared */
		seen[i] = sum;         /* expect: bss:sum_of::seen */
	}
	return sum;
}

int main(int argc, char **argv)
{
	(void)argv;
	native_watch(zeroed, sizeof(zeroed), "bss:zeroed");
	native_watch(shared[argc], sizeof(shared[0]), "data:shared");
	return sum_of(argc) != 0;
}
