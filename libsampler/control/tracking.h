/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides whether allocations are tracked, and from which size on. */
#ifndef MEMPHIS_TRACKING_H
#define MEMPHIS_TRACKING_H

#include <stdbool.h>

/*
 * Decide from the environment, once there is one; later calls do nothing. `interposed`: the program's allocation
 * functions are the library's. Safe below malloc().
 */
void memphis_tracking_setup(bool interposed);

/* Decide again: the settings have changed. */
void memphis_tracking_update(void);

#endif
