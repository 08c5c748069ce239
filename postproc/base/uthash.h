/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * uthash (header-only) for tables that are not hot. An element that could not be added for lack of memory has hh.tbl == NULL after
 * HASH_ADD; by default, uthash would call exit().
 */
#ifndef MEMPHIS_UTHASH_H
#define MEMPHIS_UTHASH_H

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#endif
