// SPDX-License-Identifier: BSD-3-Clause
/* Static pointers of functions that allocate at their first call, and blocks that a constructor of the program allocates. */
#include "corpus.h"

static double *early;

__attribute__((constructor)) static void begin(void)
{
	early = malloc(BYTES); /* site: early */
}

static double *scratch(void)
{
	static double *cache;

	if (!cache)
		cache = malloc(BYTES); /* site: cache */
	return cache;
}

static double *buffer(void)
{
	static double *cache;

	if (!cache)
		cache = malloc(BYTES); /* site: cache #buffer */
	return cache;
}

int main(void)
{
	TRUTH(early, BYTES, "early");
	TRUTH(scratch(), BYTES, "cache|scratch::cache");
	TRUTH(buffer(), BYTES, "cache|buffer::cache #buffer");
	return 0;
}
