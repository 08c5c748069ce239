// SPDX-License-Identifier: BSD-3-Clause
/* An arena of the program's own in a block, and one in static memory, that hand out parts without telling anybody. */
#include "corpus.h"

struct arena {
	char *base;
	size_t used;
};

static struct arena heap;
static char fixed[4 * BYTES];
static size_t used;

static void *from_heap(size_t bytes)
{
	void *part = heap.base + heap.used;

	heap.used += bytes;
	return part;
}

static void *from_fixed(size_t bytes)
{
	void *part = fixed + used;

	used += bytes;
	return part;
}

int main(void)
{
	double *first, *second;

	heap.base = malloc(4 * BYTES); /* site: heap.base */
	first = from_heap(BYTES);
	second = from_heap(BYTES);
	TRUTH(first, BYTES, "heap.base");
	TRUTH(second, BYTES, "heap.base");
	first = from_fixed(BYTES);
	second = from_fixed(BYTES);
	TRUTH(first, BYTES, "fixed");
	TRUTH(second, BYTES, "fixed");
	return 0;
}
