/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What takes the samples: the module's device, or perf_event_open(2) in its place. Both answer the requests of the
 * device's ABI (memphis/device.h); nothing outside this folder depends on which one is open.
 */
#ifndef MEMPHIS_LIB_BACKEND_H
#define MEMPHIS_LIB_BACKEND_H

#include <poll.h>
#include <sys/types.h>

#include <memphis/device.h>

#include "base/text.h"

struct memphis_region_log;

/* Why a backend could not be opened, and what the user can do about it. */
struct memphis_refusal {
	char where[512];
	int err; /* positive errno, or 0 */
	char remedy[480];
};

struct memphis_backend {
	const char *name; /* in the metadata */
	/* Whether samples are possible, as far as files show. Safe below malloc(). */
	bool (*is_there)(void);
	/* Open for a process (0: the calling one). 0 or -errno, with the remedy. */
	int (*open)(pid_t process, char *remedy, size_t bytes);
	void (*close)(void);
	/* In the child of a fork, before close(): what is open belongs to the parent. */
	void (*forked)(void);
	/* One of MEMPHIS_IOC_*; 0 or -errno, -EBADF if the program has closed the device. */
	int (*request)(unsigned long what, void *argument);
	/* Map an area that ATTACH returned, or the session's page (offset 0). NULL with -errno in *error. */
	void *(*map)(size_t bytes, int protection, __u64 offset, int *error);
	/* Log in which calipers note changes of the thread's region (tid 0: of the session's). NULL: none is needed. */
	struct memphis_region_log *(*log)(pid_t tid);
	/* Changes of regions for which the logs had no room: samples after such a change have the region before it. */
	__u64 (*regions_left_out)(void);
	/* The drain: bring rings, accounting and `exited` of all threads up to date. */
	void (*collect)(void);
	/* Descriptors to wait for, at most `max`; returns their number. */
	unsigned int (*descriptors)(struct pollfd *fds, unsigned int max);
	/* What a user can do about an error (positive) of a request. */
	void (*remedy)(int err, char *text, size_t bytes);
	/* Lines of SETTINGS that only this backend has. */
	void (*metadata)(struct memphis_text *text, const struct memphis_query *query);
};

extern const struct memphis_backend memphis_device, memphis_perf;

/* The backend that is open; the device while none is. Changes under the session's lock. */
extern const struct memphis_backend *memphis_backend;

/* Whether samples are possible by a backend that the settings allow. Safe below malloc(). */
bool memphis_backend_is_there(void);

/* Open the backend that the settings allow, then query and configure it. 0, or -ENODEV with *refusal filled in. */
int memphis_backend_open(pid_t process, struct memphis_query *query, struct memphis_config *config,
			 struct memphis_refusal *refusal);

/* In the child of a fork: what is open belongs to the parent. memphis_backend->close() comes next. */
void memphis_backend_forked(void);

/* What a user can do about an error (positive) of a request. Under the session's lock: the text is static. */
const char *memphis_backend_remedy(int err);

#endif
