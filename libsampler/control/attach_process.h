/* SPDX-License-Identifier: BSD-3-Clause */
/* What `memphis record` calls; no part of the public interface. Another process, sampled from outside while it runs. */
#ifndef MEMPHIS_WATCH_H
#define MEMPHIS_WATCH_H

#include <sys/types.h>

enum memphis_watched {
	MEMPHIS_WATCHED_FAILED = -1,  /* not sampled; a line on standard error says why */
	MEMPHIS_WATCHED_STOPPED = 0,  /* `stop` became readable */
	MEMPHIS_WATCHED_ENDED = 1,    /* the process has ended */
	MEMPHIS_WATCHED_EXECUTED = 2, /* it executes another program, which is not sampled */
};

/* Samples it until one of these. `begun`, if not NULL, is called once it is sampled, with the number of its threads. */
int memphis_watch(pid_t pid, int stop, void (*begun)(unsigned int threads));

/* What the setting of this variable takes, if it does not take the value; else NULL. */
const char *memphis_refuses(const char *variable, const char *value);

/* 0: a process with this environment, by this user, finds what samples it. Else a line on standard error says why not. */
int memphis_probe(void);

#endif
