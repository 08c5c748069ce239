/* SPDX-License-Identifier: BSD-3-Clause */
/* Sampling another process while it runs. Called by `memphis record -p`; not part of the public interface. */
#ifndef MEMPHIS_ATTACH_PROCESS_H
#define MEMPHIS_ATTACH_PROCESS_H

#include <sys/types.h>

enum memphis_watched {
	MEMPHIS_WATCHED_FAILED = -1,  /* not sampled; the reason is on standard error */
	MEMPHIS_WATCHED_STOPPED = 0,  /* `stop` became readable */
	MEMPHIS_WATCHED_ENDED = 1,    /* the process has ended */
	MEMPHIS_WATCHED_EXECUTED = 2, /* it executes another program, which is not sampled */
};

/* Sample the process until one of these. `begun`, if not NULL, is called when sampling is on, with the number of threads. */
int memphis_watch(pid_t pid, int stop, void (*begun)(unsigned int threads));

/* Returns which values the setting of this environment variable takes, or NULL if `value` is one of them. */
const char *memphis_refuses(const char *variable, const char *value);

/* 0 if a process of this user with this environment can be sampled; else -errno, with the reason on standard error. */
int memphis_probe(void);

#endif
