/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR BSD-3-Clause */
/* Default settings for each kind of sampling hardware, from which the library and the tool make their tables. */
#ifndef MEMPHIS_SAMPLING_DEFAULTS_H
#define MEMPHIS_SAMPLING_DEFAULTS_H

#include <memphis/device.h>

/*
 * One ROW(hardware, name, count, period, min_latency, period_by_source, is_exact) for each MEMPHIS_HARDWARE_*; libsampler/settings/hardware.h
 * describes the fields.
 * IBS: 16 * 65537, a prime times the step of the hardware. IBS adds a random number to each period.
 * PEBS: 30 cycles: loads that missed the private caches, since only these can wait for remote memory. Each interrupt of an event of
 * loads by source is such a load, so that its period can be shorter.
 */
#define MEMPHIS_SAMPLING_DEFAULTS(ROW)                                            \
	ROW(MEMPHIS_HARDWARE_IBS, "ibs", MEMPHIS_COUNT_OPS, 1048592, 0, 0, false) \
	ROW(MEMPHIS_HARDWARE_PEBS, "pebs", MEMPHIS_COUNT_LOADS, 20011, 30, 10007, true)

#endif
