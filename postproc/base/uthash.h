/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Includes uthash (header-only) for tables that are not performance-critical. By default, uthash calls exit()
 * if memory is exhausted. With this setting, an element that could not be added has hh.tbl == NULL after
 * HASH_ADD.
 */
#ifndef MEMPHIS_UTHASH_H
#define MEMPHIS_UTHASH_H

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#endif
