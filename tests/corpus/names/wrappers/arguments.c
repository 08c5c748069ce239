// SPDX-License-Identifier: BSD-3-Clause
/* Blocks that are given to a function as arguments, which keeps them. */
#include "corpus.h"

static double *registered;
static double *table[2];

__attribute__((noinline)) static void keep(double *block)
{
	registered = block;
}

__attribute__((noinline)) static void keep_at(int at, double *block)
{
	table[at] = block;
}

int main(void)
{
	keep(malloc(BYTES));       /* site: registered */
	keep_at(1, malloc(BYTES)); /* site: table[] */
	TRUTH(registered, BYTES, "registered");
	TRUTH(table[1], BYTES, "table[]|table[1]");
	return 0;
}
