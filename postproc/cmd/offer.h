/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds out what this user can sample on this machine, and how. */
#ifndef MEMPHIS_OFFER_H
#define MEMPHIS_OFFER_H

#include "node/node.h"

/*
 * Queries the device below the root directory; if that fails and the root is this system's, asks the library, as `memphis record` does,
 * what perf offers. MEMPHIS_BACKEND selects one of them.
 */
void memphis_offer_find(struct memphis_offer *offer, const char *root, const char *device);

#endif
