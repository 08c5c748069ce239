/* SPDX-License-Identifier: BSD-3-Clause */
/* Calipers: each thread's stack of open regions, and the region that is stamped on its samples. */
#ifndef MEMPHIS_CALIPER_H
#define MEMPHIS_CALIPER_H

#include "base/sys.h"

/* Passed as the length of a name that ends with a NUL. */
#define MEMPHIS_NUL ((size_t)-1)

/* As memphis_begin() and memphis_end(), with the length of the name. */
int memphis_caliper_begin(const char *name, size_t length);
int memphis_caliper_end(const char *name, size_t length);

/*
 * For interfaces whose end names no caliper. Every push opens a caliper, even without a name, so that the ends match.
 * Errors are ignored, as these interfaces can't return them.
 */
void memphis_caliper_push(const char *name);
void memphis_caliper_pop(void);

#endif
