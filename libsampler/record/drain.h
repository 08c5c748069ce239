/* SPDX-License-Identifier: BSD-3-Clause */
/* The thread that carries everything captured from memory to the files. */
#ifndef MEMPHIS_DRAIN_H
#define MEMPHIS_DRAIN_H

#include "record/output.h"

#define MEMPHIS_DRAIN_NAME "memphis-drain" /* of the thread */

struct memphis_drain_ops {
	void (*before_pass)(void); /* attach threads that nobody has announced */
	void (*left)(void);        /* no thread of the program is left: switch sampling off for good */
};

/*
 * Start the thread; it waits for the first request. The session's process file stands. 0 or -errno. Where no thread can be
 * made, since children go to a PID namespace of their own, requests are worked on by whoever makes them and waits.
 */
int memphis_drain_start(const struct memphis_drain_ops *ops);

/*
 * For system calls that only a process of one thread may make: the thread ends, leaving all as it is, and its task is
 * gone; and is started again. 0; -ETIMEDOUT: it goes on; -errno: it could not be started, and is done without.
 */
int memphis_drain_leave(unsigned int timeout_ms);
int memphis_drain_return(void);

/* Ask for MEMPHIS_DRAIN_*, and wait until it is done (at most `timeout_ms`; 0 = don't wait). 0 or -ETIMEDOUT. */
int memphis_drain_request(unsigned int what, unsigned int timeout_ms);

/* Have blocks come since the last search for holders? */
int memphis_drain_has_news_of_blocks(void);

/* The same, and is a search worth its time now? */
int memphis_drain_wants_holders(void);

/* Around fork(), so that the child finds the drain's data at rest; and in the child: there is no such thread. */
void memphis_drain_pause(void);
void memphis_drain_resume(void);
void memphis_drain_forked(void);

pid_t memphis_drain_tid(void);

#endif
