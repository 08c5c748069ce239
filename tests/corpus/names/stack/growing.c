// SPDX-License-Identifier: BSD-3-Clause
/* Arrays of variable length, whose length is known when the program runs: alone, beside aligned ones, two of one length, and in a block. */
#include "corpus.h"

__attribute__((noinline)) static void callee(const double *lent)
{
	TRUTH(lent, BYTES, "alone::only");
}

__attribute__((noinline)) static void alone(size_t count)
{
	double only[count], fixed[COUNT];

	corpus_use(only);
	callee(only);
	TRUTH(fixed, BYTES, "alone::fixed");
	corpus_use(only);
}

__attribute__((noinline)) static void aligned(size_t count)
{
	_Alignas(64) double fixed[COUNT];
	double only[count];

	TRUTH(fixed, BYTES, "aligned::fixed");
	TRUTH(only, BYTES, "aligned::only");
}

__attribute__((noinline)) static void equal(size_t count)
{
	double left[count], right[count];

	TRUTH(left, BYTES, "equal::left");
	TRUTH(right, BYTES, "equal::right");
}

__attribute__((noinline)) static void in_block(size_t count)
{
	for (int i = 0; i < 2; i++) {
		double inner[count];

		TRUTH(inner, BYTES, "in_block::inner");
	}
}

int main(void)
{
	volatile size_t count = COUNT;

	alone(count);
	aligned(count);
	equal(count);
	in_block(count);
	return 0;
}
