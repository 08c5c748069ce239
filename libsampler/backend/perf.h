/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The way in without the module, where the site allows it: perf_event_open(2) on the same hardware, behind the requests
 * of the device's ABI. Records of perf become samples of ours when the drain comes by; all else is the device's way.
 */
#ifndef MEMPHIS_LIB_PERF_H
#define MEMPHIS_LIB_PERF_H

#include <poll.h>
#include <sys/types.h>

#include <memphis/device.h>

struct memphis_region_log;

/* 0: perf samples the process (0: this one) when asked; or -errno, and what would change it in `remedy`. */
int memphis_perf_open(pid_t process, char *remedy, size_t bytes);
void memphis_perf_close(void);

/*
 * MEMPHIS_IOC_*; 0 or -errno. What ATTACH gives as offsets are addresses of memory that the caller unmaps once the thread
 * is detached. CONFIGURE raises ring_records to what one page of perf's can hold.
 */
int memphis_perf_request(unsigned long what, void *argument);

/* Where calipers note the changes of a thread's region; tid 0: of the session's. NULL: no such thread. */
struct memphis_region_log *memphis_perf_log(pid_t tid);
/* Changes that found no room there: samples after them have the region before. */
__u64 memphis_perf_regions_left_out(void);

/* The drain: bring rings, accounting and `exited` of all threads up to date. */
void memphis_perf_collect(void);

/* The drain: as many descriptors to wait for as fit; returns how many. */
unsigned int memphis_perf_descriptors(struct pollfd *fds, unsigned int max);

/* In the child of a fork: all of it is the parent's. */
void memphis_perf_forked(void);

#endif
