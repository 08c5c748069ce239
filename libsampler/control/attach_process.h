/* SPDX-License-Identifier: BSD-3-Clause */
/* Sampling of another process that is already running. Called by `memphis record -p`; not part of the public interface. */
#ifndef MEMPHIS_ATTACH_PROCESS_H
#define MEMPHIS_ATTACH_PROCESS_H

#include <sys/types.h>

#include <memphis/device.h>

enum memphis_watched {
	MEMPHIS_WATCHED_FAILED = -1,  /* not sampled; the reason is on standard error */
	MEMPHIS_WATCHED_STOPPED = 0,  /* `stop` became readable */
	MEMPHIS_WATCHED_ENDED = 1,    /* the process has ended */
	MEMPHIS_WATCHED_EXECUTED = 2, /* the process executes another program, which is not sampled */
};

/*
 * Samples the process, and returns one of the values above. When sampling is on, calls `begun` with the
 * number of threads, unless `begun` is NULL.
 */
int memphis_watch(pid_t pid, int stop, void (*begun)(unsigned int threads));

/* Returns NULL if the environment variable accepts `value`, otherwise a description of the accepted values. */
const char *memphis_refuses(const char *variable, const char *value);

/*
 * Returns 0 if a process of this user with this environment can be sampled; otherwise prints the reason to
 * standard error and returns -errno.
 */
int memphis_probe(void);

/*
 * Determines what could sample a process of this user with this environment. Of the settings, only
 * MEMPHIS_BACKEND and MEMPHIS_DEVICE apply. Returns 0 and the name of the backend, "device" or "perf", or
 * -errno and the reason as a line of text. Prints nothing.
 */
int memphis_offer(struct memphis_query *query, const char **backend, char *reason, size_t bytes);

#endif
