/* SPDX-License-Identifier: BSD-3-Clause */
/* The sources that are files of the kernel's. */
#ifndef MEMPHIS_CONTEXT_FILES_H
#define MEMPHIS_CONTEXT_FILES_H

#include "counters/source.h"

/* In the place of "/": for tests. */
extern const char *memphis_context_root;

#endif
