// SPDX-License-Identifier: BSD-3-Clause
/* An allocator with marks, as codes have it for work arrays, behind one static pointer. */
#include "corpus.h"

static struct {
	char *start, *at, *end;
} scratch;

__attribute__((noinline)) static double *take(size_t count)
{
	double *part;

	if (!scratch.start) {
		scratch.start = malloc(8 * BYTES); /* site: scratch.start */
		scratch.at = scratch.start;
		scratch.end = scratch.start + 8 * BYTES;
	}
	part = (double *)scratch.at;
	scratch.at += count * sizeof(double);
	return part;
}

int main(void)
{
	char *mark;
	double *first = take(COUNT), *second;

	mark = scratch.at;
	second = take(COUNT);
	TRUTH(first, BYTES, "scratch.start|scratch.at");
	TRUTH(second, BYTES, "scratch.start|scratch.at");
	scratch.at = mark;
	TRUTH(take(COUNT), BYTES, "scratch.start|scratch.at");
	return 0;
}
