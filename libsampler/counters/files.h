/* SPDX-License-Identifier: BSD-3-Clause */
/* The sources that are files of the kernel's. */
#ifndef MEMPHIS_COUNTER_FILES_H
#define MEMPHIS_COUNTER_FILES_H

#include "counters/source.h"

/* In the place of "/": for tests. */
extern const char *memphis_counters_root;

#endif
