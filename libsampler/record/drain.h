/* SPDX-License-Identifier: BSD-3-Clause */
/* The drain: the thread that moves everything captured from memory to the files. */
#ifndef MEMPHIS_DRAIN_H
#define MEMPHIS_DRAIN_H

#include "record/output.h"

#define MEMPHIS_DRAIN_NAME "memphis-drain" /* name of the thread */

/* What control does in the drain. */
struct memphis_drain_ops {
	/* Before each pass: attach threads that did not attach themselves. */
	void (*before_pass)(void);
	/* No thread of the program is left: switch sampling off for good. The last pass follows. */
	void (*left)(void);
};

/*
 * Start the thread, which waits for the first request. The session's process file exists, unless deferred. 0 or -errno. If no
 * thread can be created, since children go to another PID namespace, threads that request and wait do the work themselves.
 */
int memphis_drain_start(const struct memphis_drain_ops *ops);

/*
 * Around system calls that only a single-threaded process may make. Leave: the thread ends without changing anything else,
 * and its task is gone; 0, or -ETIMEDOUT: it goes on. Return: start it again; 0, or -errno: the session goes on without it.
 */
int memphis_drain_leave(unsigned int timeout_ms);
int memphis_drain_return(void);

/* Request MEMPHIS_DRAIN_*, and wait at most `timeout_ms` until that is done (0: don't wait). 0 or -ETIMEDOUT. */
int memphis_drain_request(unsigned int what, unsigned int timeout_ms);

/* Whether blocks were allocated since the last search for holders. */
int memphis_drain_has_news_of_blocks(void);

/* The same, and whether a search is worth its time now. */
int memphis_drain_wants_holders(void);

/* Around fork(), so that the child finds the drain's data in a consistent state; and in the child, which has no drain. */
void memphis_drain_pause(void);
void memphis_drain_resume(void);
void memphis_drain_forked(void);

/* Returns the thread's tid; 0: none is running. */
pid_t memphis_drain_tid(void);

#endif
