/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory for the objects of one kind, so that the address of an access shows what it accesses. */
#ifndef OBJECTS_H
#define OBJECTS_H

#include "workload.h"

#include <cstddef>
#include <cstdio>
#include <cstdlib>

/* Prints where the objects of the kind are, and the size of each. */
static inline void print_objects(const char *kind, void *memory, std::size_t bytes, std::size_t size)
{
	workload_variable(kind, memory, bytes);
	std::printf("size %s %zu\n", kind, size);
}

static inline char *memory_of(const char *kind, std::size_t bytes, std::size_t size)
{
	char *memory = static_cast<char *>(std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096));

	if (!memory)
		workload_fail("aligned_alloc");
	workload_touch(memory, bytes);
	print_objects(kind, memory, bytes, size);
	return memory;
}

#endif
