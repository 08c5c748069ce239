/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters of the memory controllers, which are read through the device (MEMPHIS_IOC_CONTROLLERS), in a session of their own. */
#ifndef MEMPHIS_COUNTER_UNCORE_DEVICE_H
#define MEMPHIS_COUNTER_UNCORE_DEVICE_H

#include "counters/source.h"

/* Opens the session. Returns 0, or -errno if the device does not offer the counters. */
int memphis_uncore_device_open(void);

/* Returns why the device offers no counters, after memphis_uncore_device_open() has failed. */
const char *memphis_uncore_device_why(void);

/* Reason why a reading lacks values: the counters stood still for some time, whose bytes are not known. */
extern const char memphis_uncore_displaced[];

/* Passes the bytes of each counter, with its name and node, to `sink`. Returns NULL, or the reason why they can't be read now. */
const char *memphis_uncore_device_read(struct memphis_counters_sink *sink);

void memphis_uncore_device_close(void);

#endif
