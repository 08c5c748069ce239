/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides whether allocations are tracked, and from which size. */
#ifndef MEMPHIS_TRACKING_H
#define MEMPHIS_TRACKING_H

#include <stdbool.h>

/*
 * Decides from the environment whether allocations are tracked. Decides at the first call at which the
 * environment exists. Later calls have no effect. `interposed`: the program calls the library's allocation
 * functions. Does not allocate, so the interposed malloc() can call it.
 */
void memphis_tracking_setup(bool interposed);

/* Decides again whether allocations are tracked. Called after the settings have changed. */
void memphis_tracking_update(void);

#endif
