/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Steps of time into which a process's run is divided; their width doubles whenever more than MEMPHIS_TICKS
 * steps would be needed.
 */
#ifndef MEMPHIS_BASE_TICKS_H
#define MEMPHIS_BASE_TICKS_H

#define MEMPHIS_TICKS         256
#define MEMPHIS_TICK_FIRST_NS (1u << 20) /* initial width; always a power of two */

#endif
