/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters of the memory controllers, read through the device (MEMPHIS_IOC_CONTROLLERS) in a separate session. */
#ifndef MEMPHIS_COUNTER_UNCORE_DEVICE_H
#define MEMPHIS_COUNTER_UNCORE_DEVICE_H

#include "counters/source.h"

/* Opens the session. Returns 0, or -errno if the device does not offer the counters. */
int memphis_uncore_device_open(void);

/* Returns why the device offers no counters. Called after memphis_uncore_device_open() has failed. */
const char *memphis_uncore_device_why(void);

/* Reason for missing values: the counters did not count for some time, so the bytes of this time are unknown. */
extern const char memphis_uncore_displaced[];

/* Passes the bytes of each counter, with its name and node, to `sink`. Returns NULL, or the reason why they can't be read now. */
const char *memphis_uncore_device_read(struct memphis_counters_sink *sink);

void memphis_uncore_device_close(void);

#endif
