/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The objects that the dynamic loader has loaded. Companions can't take the loader's lock (base/companion.h), and read its public list
 * (link.h, struct r_debug) without it: while an object is being loaded or unloaded, what they read may be incomplete, and a read may fail.
 */
#ifndef MEMPHIS_LOADED_H
#define MEMPHIS_LOADED_H

#include <link.h>
#include <stdbool.h>

#include "base/sys.h"

/*
 * Calls `visit` for each object, the program first, until it returns another value than 0, and returns that value. In the program's threads, this is
 * dl_iterate_phdr(3). In companions, `size` ends before dlpi_adds, and -EFAULT is returned if a read failed; `visit` must hold no lock.
 */
int memphis_loaded_each(int (*visit)(struct dl_phdr_info *, size_t, void *), void *data);

/* Sets the addresses of the object, low <= address < high. Returns false if they are not known. In companions, to be called below memphis_companion_try(). */
bool memphis_loaded_extent(const struct link_map *map, __u64 *low, __u64 *high);

/* Numbers of loads and unloads of objects so far. */
struct memphis_loads {
	__u64 loads, unloads;
};

/* Returns these numbers, which it asks of the dynamic loader. For threads of the program; not async-signal-safe. */
struct memphis_loads memphis_loaded_counts(void);

/* Returns a number that changes when objects are loaded or unloaded. The numbers of companions and of other threads can't be compared. */
__u64 memphis_loaded_version(void);

/* Returns true while the loader says that it is adding or removing objects. */
bool memphis_loaded_is_changing(void);

#endif
