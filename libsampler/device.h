/* SPDX-License-Identifier: BSD-3-Clause */
/* The device: opened, asked, configured; and what to do when it refuses. */
#ifndef MEMPHIS_LIB_DEVICE_H
#define MEMPHIS_LIB_DEVICE_H

#include "session.h"

/* Open, query, configure, map the session's page. 0, or -ENODEV after memphis_session_fail(). */
int memphis_device_open(struct memphis_session *session);
void memphis_device_release(struct memphis_session *session);

/* One of MEMPHIS_IOC_*; 0 or -errno, -EBADF when the program closed the device. */
int memphis_device_request(unsigned long what, void *argument);

/* What a user can do about an error (positive) of a request. */
const char *memphis_device_remedy(int err);

#endif
