/* SPDX-License-Identifier: BSD-3-Clause */
/* A few buffers, and maps when none of them is free. */
#include <stdatomic.h>

#include "base/scratch.h"
#include "base/sys.h"

#define BUFFERS 8

static char buffers[BUFFERS][MEMPHIS_SCRATCH_BYTES]
	__attribute__((aligned(64)));              /* pages that are not used take no memory */
static _Atomic __u32 unused = (1u << BUFFERS) - 1; /* a bit for each buffer */

char *memphis_scratch_take(void)
{
	__u32 before = atomic_load(&unused);

	while (before)
		if (atomic_compare_exchange_weak(&unused, &before, before & (before - 1)))
			return buffers[__builtin_ctz(before)];
	return sys_map(MEMPHIS_SCRATCH_BYTES);
}

void memphis_scratch_give(char *memory)
{
	const size_t offset = (uintptr_t)memory - (uintptr_t)buffers;

	if (offset < sizeof(buffers))
		atomic_fetch_or(&unused, 1u << offset / MEMPHIS_SCRATCH_BYTES);
	else
		sys_unmap(memory, MEMPHIS_SCRATCH_BYTES);
}
