/* SPDX-License-Identifier: BSD-3-Clause */
/* Calipers: the thread's stack of open regions, and the number that is stamped on its samples. */
#ifndef MEMPHIS_CALIPER_H
#define MEMPHIS_CALIPER_H

#include "base/sys.h"

/* As a length: the name ends with a NUL. */
#define MEMPHIS_NUL ((size_t)-1)

/* As memphis_begin() and memphis_end(), for names that need no NUL. */
int memphis_caliper_begin(const char *name, size_t length);
int memphis_caliper_end(const char *name, size_t length);

/*
 * For interfaces that end without telling what. Every name opens a caliper, so that the ends fit, and whatever is wrong is
 * nobody's business there.
 */
void memphis_caliper_push(const char *name);
void memphis_caliper_pop(void);

#endif
