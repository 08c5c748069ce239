/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The heap functions of ITT: what an allocator of the program hands out are parts of a pool. The functions have the signatures of the
 * functions __itt_heap_* of the same name.
 */
#ifndef MEMPHIS_ITT_HEAP_H
#define MEMPHIS_ITT_HEAP_H

#include <stddef.h>

struct memphis_itt_heap;

/*
 * Returns the handle of the domain, or of `name` if there is no domain, and creates it if necessary; NULL if memory is exhausted. One handle for
 * all functions of a domain, because an allocator allocates and releases in different functions. The pool has the domain's name.
 */
struct memphis_itt_heap *memphis_itt_heap_function_create(const char *name, const char *domain);

void memphis_itt_heap_allocate_end(struct memphis_itt_heap *heap, void **block, size_t bytes,
				   int initialised);
void memphis_itt_heap_free_begin(struct memphis_itt_heap *heap, void *block);
void memphis_itt_heap_reallocate_begin(struct memphis_itt_heap *heap, void *block, size_t bytes,
				       int initialised);
void memphis_itt_heap_reallocate_end(struct memphis_itt_heap *heap, void *block, void **moved, size_t bytes,
				     int initialised);

#endif
