/* SPDX-License-Identifier: BSD-3-Clause */
/* The drain: the thread that moves all captured data from memory to the files. */
#ifndef MEMPHIS_DRAIN_H
#define MEMPHIS_DRAIN_H

#include "record/output.h"

#define MEMPHIS_DRAIN_NAME "memphis-drain" /* name of the thread */

/* Callbacks of control/, called by the drain. */
struct memphis_drain_ops {
	/* Called before each pass: attaches threads that did not attach themselves. */
	void (*before_pass)(void);
	/*
	 * Called when no thread of the program exists any more: switches sampling off permanently. The last
	 * pass follows.
	 */
	void (*left)(void);
};

/*
 * Starts the thread, which waits for the first request. The session's process file must exist, unless it is
 * deferred. If no thread can be created because new tasks would belong to another PID namespace, threads that
 * request a pass and wait for it perform it themselves. Returns 0 or -errno.
 */
int memphis_drain_start(const struct memphis_drain_ops *ops);

/*
 * Bracket system calls that only a single-threaded process may make.
 *
 * memphis_drain_leave() ends the thread, changes nothing else and waits until the task is gone. Returns 0, or
 * -ETIMEDOUT if the thread goes on running. memphis_drain_return() starts the thread again. Returns 0, or
 * -errno: the session continues without the thread.
 */
int memphis_drain_leave(unsigned int timeout_ms);
int memphis_drain_return(void);

/*
 * Requests MEMPHIS_DRAIN_* and waits until it is done, at most `timeout_ms` (0: does not wait). Returns 0 or
 * -ETIMEDOUT.
 */
int memphis_drain_request(unsigned int what, unsigned int timeout_ms);

/* Returns 1 if blocks were allocated since the last search for holders (pointer_scan.h). */
int memphis_drain_has_news_of_blocks(void);

/*
 * Returns 1 if blocks were allocated since the last search for holders, and another search is worth its time
 * now.
 */
int memphis_drain_wants_holders(void);

/*
 * Bracket fork(), so that the child finds the drain's data in a consistent state. memphis_drain_forked() is
 * the fork handler of the child, in which no drain runs.
 */
void memphis_drain_pause(void);
void memphis_drain_resume(void);
void memphis_drain_forked(void);

/* Returns the tid of the drain's thread, or 0 if none is running. */
pid_t memphis_drain_tid(void);

#endif
