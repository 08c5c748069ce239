/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides whether allocations are tracked, and from which size. */
#ifndef MEMPHIS_TRACKING_H
#define MEMPHIS_TRACKING_H

#include <stdbool.h>

/*
 * Decides from the environment, as soon as the environment exists; later calls have no effect. `interposed`:
 * the program's allocation functions are the library's. Does not allocate, so it can be called from the
 * interposed malloc().
 */
void memphis_tracking_setup(bool interposed);

/* Decides again whether allocations are tracked. Called after the settings have changed. */
void memphis_tracking_update(void);

#endif
