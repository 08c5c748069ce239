/* SPDX-License-Identifier: BSD-3-Clause */
/* The device: opened, asked, configured; and what to do when it refuses. */
#ifndef MEMPHIS_LIB_DEVICE_H
#define MEMPHIS_LIB_DEVICE_H

#include "core/session.h"

/* Could there be samples, as far as files tell? Safe below malloc(). */
int memphis_device_is_there(void);

/* Open, query, configure, map the session's page. 0, or -ENODEV after memphis_session_fail(). */
int memphis_device_open(struct memphis_session *session);
void memphis_device_release(struct memphis_session *session);
/* In the child of a fork: what is open is the parent's. */
void memphis_device_forked(struct memphis_session *session);

/* One of MEMPHIS_IOC_*; 0 or -errno, -EBADF when the program closed the device. */
int memphis_device_request(unsigned long what, void *argument);

/* The area that ATTACH told of, or NULL with the error (-errno) in *error; sys_unmap() lets go of it. */
void *memphis_device_map(size_t bytes, int protection, __u64 offset, int *error);

/* Where the thread's calipers note changes of region (tid 0: those for the session); NULL: nobody asks. */
struct memphis_region_log *memphis_device_log(pid_t tid);

/* What a user can do about an error (positive) of a request. */
const char *memphis_device_remedy(int err);

#endif
