/* SPDX-License-Identifier: BSD-3-Clause */
#include "corpus.h"

static inline void *checked_allocation(size_t bytes)
{
	void *block = malloc(bytes);

	if (!block)
		abort();
	return block;
}
