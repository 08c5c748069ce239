/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The run of a process is divided into at most MEMPHIS_TICKS time steps of equal width. When a run needs more
 * steps, the width is doubled.
 */
#ifndef MEMPHIS_BASE_TICKS_H
#define MEMPHIS_BASE_TICKS_H

#define MEMPHIS_TICKS         256
#define MEMPHIS_TICK_FIRST_NS (1u << 20) /* initial width in ns; the width is always a power of two */

#endif
