/* SPDX-License-Identifier: BSD-3-Clause */
/* Calipers: the stack of open regions of each thread, and the region that is stamped on its samples. */
#ifndef MEMPHIS_CALIPER_H
#define MEMPHIS_CALIPER_H

#include "base/sys.h"

/* Passed in place of the length for a name that ends with a NUL. */
#define MEMPHIS_NUL ((size_t)-1)

/* The same as memphis_begin() and memphis_end(), but with the length of the name as an argument. */
int memphis_caliper_begin(const char *name, size_t length);
int memphis_caliper_end(const char *name, size_t length);

/*
 * Open and close calipers for interfaces whose end call does not name the caliper. Every push opens a
 * caliper, even if it has no name, so that each pop closes the right one. Errors are ignored, because these
 * interfaces can't return them.
 */
void memphis_caliper_push(const char *name);
void memphis_caliper_pop(void);

#endif
