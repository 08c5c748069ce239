/* SPDX-License-Identifier: BSD-3-Clause */
/* Calipers: the stack of open regions of each thread, and the region that is stamped on its samples. */
#ifndef MEMPHIS_CALIPER_H
#define MEMPHIS_CALIPER_H

#include "base/sys.h"

/* Length to pass for a name that is terminated by a NUL. */
#define MEMPHIS_NUL ((size_t)-1)

/* Same as memphis_begin() and memphis_end(), except that the length of the name is given. */
int memphis_caliper_begin(const char *name, size_t length);
int memphis_caliper_end(const char *name, size_t length);

/*
 * Open and close calipers for interfaces whose end call does not name the caliper. Every push opens a caliper, even without a name, so that
 * each pop closes the matching one. Errors are ignored, since these interfaces can't return them.
 */
void memphis_caliper_push(const char *name);
void memphis_caliper_pop(void);

#endif
