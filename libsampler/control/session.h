/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening and closing of the sampling session. core/session.h contains its state. */
#ifndef MEMPHIS_SESSION_CONTROL_H
#define MEMPHIS_SESSION_CONTROL_H

#include "core/session.h"

/*
 * Opens the backend that the settings allow, and maps the session's page. Returns 0, or -ENODEV after
 * memphis_session_fail().
 */
int memphis_session_open_backend(struct memphis_session *session);
void memphis_session_close_backend(struct memphis_session *session);

/*
 * The steps of memphis_session_start(), which are separate because sampling of another process performs them
 * one by one. The caller holds the session's lock. memphis_session_open() opens the backend and the files and
 * allocates memory. Returns 0, or -ENODEV after memphis_session_fail().
 */
int memphis_session_open(struct memphis_session *session);
/* Attaches all threads and starts sampling. Returns 0 or -errno. */
int memphis_session_switch_on(struct memphis_session *session);
/* Undoes both steps after a failure; `problem` must contain the reason. */
void memphis_session_abandon(struct memphis_session *session);

/*
 * Switches sampling on for this process; opens the session first if necessary. Returns 0 or -ENODEV. Takes
 * the session's lock. Also called by the drain.
 */
int memphis_session_start(void);
/*
 * Starts the drain, which calls memphis_session_start() after the process's first milliseconds: most processes that a program starts are
 * over by then, and never have a session. `was_forked`: called in the fork handler of the child. Async-signal-safe. Returns 0; or -errno if
 * the drain did not start, so that only another cause may open a session.
 */
int memphis_session_defer(bool was_forked);
/* Returns true if memphis_session_defer() was called, and there is no session yet. */
bool memphis_session_is_deferred(void);
/* Switches sampling off if no caliper is open or the process is ending (`closing`). Takes the session's lock. */
void memphis_session_stop(int closing);

/*
 * memphis_session_pause() switches sampling off until memphis_session_resume(), whatever calipers are opened. Both return 0 or
 * -ENODEV, and take the session's lock.
 */
int memphis_session_pause(void);
int memphis_session_resume(void);

/*
 * Called before the process gives up the right to make the library's system calls: ends the session as memphis_session_close() does, and
 * notes this end in the process file.
 */
void memphis_session_finish(void);

/*
 * Returns true if this process has a session, and the calling thread may work on it: it is neither a child that shares or has copied the
 * memory of the sampled process, nor a signal handler that has interrupted the library. Async-signal-safe.
 */
bool memphis_session_is_usable(void);

/*
 * Called when the process begins to end, while the program's static objects are still as they were: searches them a last time for pointers to
 * blocks, if there are new ones. Their destructors may clear these pointers.
 */
void memphis_session_leave(void);

/* Called when the process ends: stops sampling, and waits at most `timeout_ms` until all remaining data is written and the files are closed. */
void memphis_session_close(unsigned int timeout_ms);

/* Fork handler of the child: discards the parent's session; the next caliper opens a new one. */
void memphis_session_forked(__u64 forked_ns);

#endif
