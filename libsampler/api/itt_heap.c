/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The heap functions of ITT (include/ittnotify.h of github.com/intel/ittapi). The functions that control the search for leaks and for
 * growing memory have no meaning here and are missing, as are the second calls of pairs whose first call has all that is needed.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "api/itt_heap.h"
#include "interpose/lifecycle.h"
#include "interpose/parts.h"

#define UNUSED __attribute__((unused))
#define FRAME  __builtin_frame_address(0)

/* Listed without a lock, which a child could not get. Never freed, since the program keeps pointers to them. */
struct memphis_itt_heap {
	struct memphis_pool *pool;
	struct memphis_itt_heap *next;
	char domain[];
};

/* Time of the reallocation that the thread is making, before the old memory can have another owner. */
static __thread __u64 reallocated __attribute__((tls_model("initial-exec")));

struct memphis_itt_heap *memphis_itt_heap_function_create(const char *name, const char *domain)
{
	static _Atomic(struct memphis_itt_heap *) first;
	struct memphis_itt_heap *newest, *heap, *fresh = NULL;

	if (!domain || !*domain)
		domain = name ? name : "";
	memphis_fork_check();
	for (newest = atomic_load(&first);;) {
		for (heap = newest; heap && strcmp(heap->domain, domain); heap = heap->next)
			;
		if (heap)
			break;
		if (!fresh) {
			fresh = calloc(1, sizeof(*fresh) + strlen(domain) + 1);
			if (!fresh)
				return NULL;
			strcpy(fresh->domain, domain);
			fresh->pool = memphis_parts_pool(domain);
		}
		fresh->next = newest;
		if (atomic_compare_exchange_strong(&first, &newest, fresh))
			return fresh;
	}
	if (fresh) {
		memphis_parts_destroy(fresh->pool);
		free(fresh);
	}
	return heap;
}

void memphis_itt_heap_allocate_end(struct memphis_itt_heap *heap, void **block, size_t bytes,
				   UNUSED int initialised)
{
	if (heap && block)
		memphis_parts_add(heap->pool, *block, bytes, NULL, FRAME);
}

void memphis_itt_heap_free_begin(struct memphis_itt_heap *heap, void *block)
{
	if (heap)
		memphis_parts_end(heap->pool, block, memphis_parts_stamp());
}

void memphis_itt_heap_reallocate_begin(UNUSED struct memphis_itt_heap *heap, UNUSED void *block,
				       UNUSED size_t bytes, UNUSED int initialised)
{
	reallocated = memphis_parts_stamp();
}

void memphis_itt_heap_reallocate_end(struct memphis_itt_heap *heap, void *block, void **moved, size_t bytes,
				     UNUSED int initialised)
{
	/* If it has failed, the old block remains. */
	if (!heap || (bytes && (!moved || !*moved)))
		return;
	memphis_parts_end(heap->pool, block, reallocated);
	if (bytes)
		memphis_parts_add(heap->pool, *moved, bytes, NULL, FRAME);
}
