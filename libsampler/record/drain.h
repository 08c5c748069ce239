/* SPDX-License-Identifier: BSD-3-Clause */
/* The drain: the companion that moves all captured data from memory to the files. */
#ifndef MEMPHIS_DRAIN_H
#define MEMPHIS_DRAIN_H

#include <stdbool.h>

#include "record/output.h"

/* Callbacks of control/, called by the drain. */
struct memphis_drain_ops {
	/* Called after the deferral: opens the session, if no thread of the program has done so. Returns 0 or -errno. */
	int (*begin)(void);
	/* Called before each pass: attaches threads that did not attach themselves. */
	void (*before_pass)(void);
	/*
	 * Called when the program has ended, or executes another program: switches sampling off permanently. The last pass follows, and no
	 * thread of the program exists any more.
	 */
	void (*program_ended)(void);
};

/*
 * Starts the drain before there is a session. After some milliseconds, it calls ops->begin(), unless a session was opened or the process
 * has ended by then. `was_forked`: called in the fork handler of the child. Async-signal-safe. Returns 0, or -errno: there is no drain.
 */
int memphis_drain_defer(const struct memphis_drain_ops *ops, bool was_forked);

/* Returns true from then on, until the drain serves a session; also while it has left. */
bool memphis_drain_is_deferred(void);

/*
 * Starts the drain for the session that is being opened, if it does not run yet; its first pass is for the first request. The session's
 * process file must exist. If no companion can be made, threads that request a pass and wait for it perform it themselves. Returns 0 or -errno.
 */
int memphis_drain_start(const struct memphis_drain_ops *ops);

/*
 * Ends the drain for good without a last pass, as there will be no session, or its files are finished. Waits for the end of the task: one that
 * outlives the process would keep its files open, and be a child of whoever adopts orphans.
 */
#define MEMPHIS_DRAIN_DISMISS_MS 1000
void memphis_drain_dismiss(unsigned int timeout_ms);

/*
 * Called before and after a system call during which the drain's task must not exist: exec; and, while the drain shares the program's
 * table of descriptors, a call that gives the calling thread a table of its own.
 *
 * memphis_drain_leave() ends the task and waits until it is gone; the session and its files remain as they are. Returns 0, or -ETIMEDOUT
 * if the task goes on running. If it could not be started again (memphis_companion_is_apart()), does nothing and returns 0.
 * memphis_drain_return() starts the task again, deferred if there is no session; not if the drain has ended for good meanwhile. Returns 0, or
 * -errno: the session continues without a drain.
 */
#define MEMPHIS_DRAIN_LEAVE_MS 2000 /* time for a pass that is in progress */
int memphis_drain_leave(unsigned int timeout_ms);
int memphis_drain_return(void);

/* Returns true if the drain uses the program's table of descriptors. */
bool memphis_drain_shares_descriptors(void);

/*
 * Requests MEMPHIS_DRAIN_* and waits until it is done, at most `timeout_ms` (0: does not wait). Returns 0 or
 * -ETIMEDOUT.
 */
int memphis_drain_request(unsigned int what, unsigned int timeout_ms);

/* Returns 1 if blocks were allocated since the last search for holders (pointer_scan.h), as far as passes have read of them. */
int memphis_drain_has_new_blocks(void);

/* Returns 1 also if there are allocations or releases that no pass has read yet. */
int memphis_drain_has_news_of_blocks(void);

/*
 * Returns 1 if blocks were allocated since the last search for holders, and another search is worth its time
 * now.
 */
int memphis_drain_wants_holders(void);

/*
 * Bracket fork(), so that the child finds the drain's data in a consistent state. memphis_drain_forked() is
 * the fork handler of the child, in which no drain runs. Async-signal-safe.
 */
void memphis_drain_pause(void);
void memphis_drain_resume(void);
void memphis_drain_forked(void);

#endif
