/* SPDX-License-Identifier: BSD-3-Clause */
/* Macros of a program that allocate. */
#ifndef WRAPPER_MACROS_H
#define WRAPPER_MACROS_H

#include <stdlib.h>

static inline void store(void **where, size_t size)
{
	*where = malloc(size);
	corpus_use(*where);
}

#define CHECK(condition)          \
	do {                      \
		if (!(condition)) \
			abort();  \
	} while (0)
#define FIELD(object, name, count) CHECK((object)->name = malloc((count) * sizeof(*(object)->name)))
#define STORED(pointer, count)     store((void **)&(pointer), (count) * sizeof(*(pointer)))
#define BOTH(first, second, size)            \
	do {                                 \
		(first) = malloc(size);      \
		(second) = malloc(2 * size); \
	} while (0)

#endif
