// SPDX-License-Identifier: BSD-3-Clause
/* Arrays in frames of callers, of recursive calls, of blocks, and of inlined functions. */
#include "corpus.h"

__attribute__((noinline)) static void recursive(int left)
{
	double level[COUNT / 4];

	corpus_use(level);
	if (left)
		recursive(left - 1);
	else
		TRUTH(level, sizeof(level), "recursive::level");
	corpus_use(level);
}

static inline __attribute__((always_inline)) void inlined(void)
{
	double inner[COUNT];

	TRUTH(inner, BYTES, "inlined::inner|main::inner");
}

int main(void)
{
	recursive(2);
	inlined();
	{
		double block[COUNT];

		TRUTH(block, BYTES, "main::block");
	}
	return 0;
}
