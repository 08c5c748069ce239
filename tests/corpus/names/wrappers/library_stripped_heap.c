// SPDX-License-Identifier: BSD-3-Clause
#include "corpus.h"

void *heap_get(size_t bytes)
{
	void *block = malloc(bytes);

	if (!block)
		abort();
	return block;
}

int heap_status(void **out, size_t bytes)
{
	*out = calloc(1, bytes);
	return !*out;
}
