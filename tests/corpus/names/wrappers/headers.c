// SPDX-License-Identifier: BSD-3-Clause
/* Wrappers that keep a header before the block, and lists of all blocks. */
#include "corpus.h"

#define SEPARATE __attribute__((noinline))

struct header {
	size_t bytes;
	struct header *next;
	char rest[48];
};

static struct header *all;

SEPARATE static void *counted(size_t bytes)
{
	struct header *header = malloc(sizeof(*header) + bytes);

	header->bytes = bytes;
	header->next = all;
	all = header;
	return header + 1;
}

SEPARATE static double *from(long low, long high)
{
	double *block = malloc((size_t)(high - low + 2) * sizeof(double));

	return block - low + 1;
}

int main(void)
{
	double *first = counted(BYTES);  /* site: first */
	double *second = counted(BYTES); /* site: second */
	double *third = from(1, COUNT);  /* site: third */
	double *fourth = from(1, COUNT); /* site: fourth */

	TRUTH(first, BYTES, "first");
	TRUTH(second, BYTES, "second");
	TRUTH(third + 1, BYTES, "third");
	TRUTH(fourth + 1, BYTES, "fourth");
	return 0;
}
