/* SPDX-License-Identifier: BSD-3-Clause */
/* The drain: the companion that moves all captured data from memory to the files. */
#ifndef MEMPHIS_DRAIN_H
#define MEMPHIS_DRAIN_H

#include <stdbool.h>

#include "record/output.h"

/* Callbacks of control/, called by the drain. */
struct memphis_drain_ops {
	/*
	 * Called when the time of memphis_drain_defer() is over, if no thread of the program has opened a
	 * session. Opens the session. Returns 0 or -errno.
	 */
	int (*begin)(void);
	/* Called before each pass. Attaches the threads that did not attach themselves. */
	void (*before_pass)(void);
	/*
	 * Called when the program has ended or executes another program. No thread of the program exists any
	 * more. Switches sampling off permanently. The last pass follows.
	 */
	void (*program_ended)(void);
};

/*
 * Starts the drain before there is a session. The drain waits some milliseconds, and then calls ops->begin(),
 * unless a session was opened or the process ended in the meantime. `was_forked`: called in the fork handler
 * of the child. Async-signal-safe. Returns 0, or -errno if no drain was started.
 */
int memphis_drain_defer(const struct memphis_drain_ops *ops, bool was_forked);

/*
 * Returns true from memphis_drain_defer() until the drain works for a session, and also while the drain's
 * task is away (memphis_drain_leave()).
 */
bool memphis_drain_is_deferred(void);

/*
 * Starts the drain for the session that is being opened, unless the drain already runs. A drain that is
 * started here makes its first pass at once. One that was deferred makes it at the first request, or when its
 * time is over. The session's process file must exist. If no companion can be made, a thread that requests a
 * pass and waits for it makes the pass itself. Returns 0 or -errno.
 */
int memphis_drain_start(const struct memphis_drain_ops *ops);

/*
 * Ends the drain permanently and without a last pass, because there will be no session or its files are
 * finished. Waits until the task has ended. A task that outlives the process would keep its files open, and
 * would become a child of the process that adopts orphans.
 */
#define MEMPHIS_DRAIN_DISMISS_MS 1000
void memphis_drain_dismiss(unsigned int timeout_ms);

/*
 * Called before and after a system call during which the drain's task must not exist. Such calls are exec
 * and, while the drain shares the program's descriptor table, calls that give the calling thread its own
 * descriptor table.
 *
 * memphis_drain_leave() ends the task and waits until it is gone. The session and its files remain as they
 * are. Returns 0, or -ETIMEDOUT if the task still runs. Does nothing and returns 0 if the task could not be
 * started again afterwards (memphis_companion_is_apart()). memphis_drain_return() starts the task again,
 * unless the drain has ended permanently in the meantime. Without a session, the drain is deferred again.
 * Returns 0, or -errno if the session continues without a drain.
 */
#define MEMPHIS_DRAIN_LEAVE_MS 2000 /* time for a pass that is in progress */
int memphis_drain_leave(unsigned int timeout_ms);
int memphis_drain_return(void);

/* Returns true if the drain uses the program's descriptor table. */
bool memphis_drain_shares_descriptors(void);

/*
 * Requests MEMPHIS_DRAIN_* (`what`) and waits up to `timeout_ms` until the drain has done it. Does not wait
 * if `timeout_ms` is 0. Returns 0 or -ETIMEDOUT.
 */
int memphis_drain_request(unsigned int what, unsigned int timeout_ms);

/*
 * Returns 1 if blocks were allocated since the last search for holders (pointer_scan.h). Counts only events
 * that a pass has read.
 */
int memphis_drain_has_new_blocks(void);

/* Does the same, but also returns 1 if there are allocations or releases that no pass has read yet. */
int memphis_drain_has_news_of_blocks(void);

/* Returns 1 if blocks were allocated since the last search for holders, and another search is worth its time now. */
int memphis_drain_wants_holders(void);

/*
 * memphis_drain_pause() and memphis_drain_resume() are called before and after fork(), so that the child
 * finds the drain's data in a consistent state. memphis_drain_forked() is the fork handler of the child, in
 * which no drain runs. Async-signal-safe.
 */
void memphis_drain_pause(void);
void memphis_drain_resume(void);
void memphis_drain_forked(void);

#endif
