/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The objects that the dynamic loader has loaded. Companions can't take the loader's lock (base/companion.h),
 * so they read its public list (link.h, struct r_debug) without the lock. While an object is being loaded or
 * unloaded, this list may be incomplete, and a read may fail.
 */
#ifndef MEMPHIS_LOADED_H
#define MEMPHIS_LOADED_H

#include <link.h>
#include <stdbool.h>

#include "base/sys.h"

/*
 * Calls `visit` for each object, the program first, until `visit` returns a value other than 0. Returns that
 * value. In the program's threads, this is dl_iterate_phdr(3). In companions, `size` ends before dlpi_adds,
 * and the function returns -EFAULT if a read failed. `visit` must hold no lock there.
 */
int memphis_loaded_each(int (*visit)(struct dl_phdr_info *, size_t, void *), void *data);

/*
 * Stores the address range of the object: low <= address < high. Returns false if it is unknown. In
 * companions, must be called inside memphis_companion_try().
 */
bool memphis_loaded_extent(const struct link_map *map, __u64 *low, __u64 *high);

/*
 * Returns true if the address is in a part of the program's file that is mapped without the permission to write,
 * such as a string literal. The program is never unloaded, so the memory never changes. Returns false for
 * other objects, because these may be unloaded. Async-signal-safe.
 */
bool memphis_loaded_is_constant(const void *address);

/* Numbers of objects that were loaded and unloaded so far. */
struct memphis_loads {
	__u64 loads, unloads;
};

/* Asks the dynamic loader for these numbers. For threads of the program only; not async-signal-safe. */
struct memphis_loads memphis_loaded_counts(void);

/*
 * Returns a number that changes when objects are loaded or unloaded. A number from a companion can't be
 * compared with a number from another thread.
 */
__u64 memphis_loaded_version(void);

/* Returns true while the loader reports that it is adding or removing objects. */
bool memphis_loaded_is_changing(void);

#endif
