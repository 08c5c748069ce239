// SPDX-License-Identifier: BSD-3-Clause
/* Allocators behind a table of functions, and a function that is given as an argument. */
#include "corpus.h"

struct operations {
	void *(*allocate)(size_t bytes);
	void (*release)(void *block);
};

static void *plain(size_t bytes)
{
	void *block = malloc(bytes);

	corpus_use(block);
	return block;
}

static const struct operations operations = {plain, free};

__attribute__((noinline)) static void *through(void *(*allocate)(size_t bytes), size_t bytes)
{
	return allocate(bytes);
}

int main(void)
{
	const struct operations *table = &operations;
	double *first = table->allocate(BYTES); /* site: first */
	double *second = through(plain, BYTES); /* site: second */
	double *third = through(malloc, BYTES); /* site: third */

	corpus_use(table);
	TRUTH(first, BYTES, "first");
	TRUTH(second, BYTES, "second");
	TRUTH(third, BYTES, "third");
	return 0;
}
