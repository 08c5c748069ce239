// SPDX-License-Identifier: BSD-3-Clause
#include "corpus.h"

#define SEPARATE __attribute__((noinline))

typedef void *(*hook_fn)(size_t bytes, size_t alignment);

SEPARATE static void *inner(size_t bytes, size_t alignment)
{
	void *block = aligned_alloc(alignment, bytes);

	if (!block)
		abort();
	return block;
}

static void *by_status(size_t bytes, size_t alignment)
{
	void *block = NULL;

	if (posix_memalign(&block, alignment, bytes))
		return NULL;
	return block;
}

hook_fn pool_hook = by_status;

SEPARATE void *pool_direct(size_t bytes)
{
	return inner(bytes, 4096);
}

SEPARATE void *pool_hooked(size_t bytes)
{
	return pool_hook(bytes, 4096);
}
