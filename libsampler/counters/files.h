/* SPDX-License-Identifier: BSD-3-Clause */
/* Counter sources that are files of the kernel. */
#ifndef MEMPHIS_COUNTER_FILES_H
#define MEMPHIS_COUNTER_FILES_H

#include "counters/source.h"

/* Prefix of all paths, used by tests instead of "/". */
extern const char *memphis_counters_root;

#endif
