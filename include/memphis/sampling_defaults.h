/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR BSD-3-Clause */
/* Default settings for each kind of sampling hardware. The library and the tool make their tables from them. */
#ifndef MEMPHIS_SAMPLING_DEFAULTS_H
#define MEMPHIS_SAMPLING_DEFAULTS_H

#include <memphis/device.h>

/*
 * Each ROW(hardware, name, count, period, min_latency, period_by_source, is_exact) describes one
 * MEMPHIS_HARDWARE_*. libsampler/settings/hardware.h describes the fields.
 * - IBS: the period is 16 * 65537, a prime times the step of the hardware. IBS adds a random number to each
 *   period.
 * - PEBS: the latency of 30 cycles selects loads that missed the private caches, because only these can wait
 *   for remote memory. Each interrupt of an event that samples loads by source is such a load, so its period
 *   can be shorter.
 */
#define MEMPHIS_SAMPLING_DEFAULTS(ROW)                                            \
	ROW(MEMPHIS_HARDWARE_IBS, "ibs", MEMPHIS_COUNT_OPS, 1048592, 0, 0, false) \
	ROW(MEMPHIS_HARDWARE_PEBS, "pebs", MEMPHIS_COUNT_LOADS, 20011, 30, 10007, true)

#endif
