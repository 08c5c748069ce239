/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening and closing of the sampling session. core/session.h contains its state. */
#ifndef MEMPHIS_SESSION_CONTROL_H
#define MEMPHIS_SESSION_CONTROL_H

#include "core/session.h"

/*
 * Opens the first backend that the settings allow and that works, and maps the session's page. Returns 0, or
 * -ENODEV after a call of memphis_session_fail().
 */
int memphis_session_open_backend(struct memphis_session *session);
void memphis_session_close_backend(struct memphis_session *session);

/*
 * The following functions are the steps of memphis_session_start(). They are separate because the sampling of
 * another process calls them one by one. The caller holds the session's lock. memphis_session_open() opens
 * the backend and the files, and allocates memory. It returns 0, or -ENODEV after a call of
 * memphis_session_fail().
 */
int memphis_session_open(struct memphis_session *session);
/* Attaches all threads and starts sampling. Returns 0 or -errno. */
int memphis_session_switch_on(struct memphis_session *session);
/* Undoes both steps after a failure. `problem` must contain the reason. */
void memphis_session_abandon(struct memphis_session *session);

/*
 * Switches sampling on for this process. Opens the session first if necessary. Returns 0 or -ENODEV. Takes
 * the session's lock. The drain calls it, too.
 */
int memphis_session_start(void);
/*
 * Starts the drain, which calls memphis_session_start() when the process is some milliseconds old. Most
 * processes that a program starts have ended by then, and never get a session. `was_forked`: called in the
 * fork handler of the child. Async-signal-safe. Returns 0, or -errno if the drain did not start. After an
 * error, only a thread of the program can open a session.
 */
int memphis_session_defer(bool was_forked);
/* Returns true if memphis_session_defer() was called, and there is no session yet. */
bool memphis_session_is_deferred(void);
/* Switches sampling off if no caliper is open, or if the process is ending (`closing`). Takes the session's lock. */
void memphis_session_stop(int closing);

/*
 * memphis_session_pause() switches sampling off until memphis_session_resume(), even if calipers are opened
 * in the meantime. Both return 0 or -ENODEV, and take the session's lock.
 */
int memphis_session_pause(void);
int memphis_session_resume(void);

/*
 * Called before the process gives up the right to make the library's system calls. Ends the session as
 * memphis_session_close() does, and records this early end in the process file.
 */
void memphis_session_finish(void);

/*
 * Returns true if this process has a session and the calling thread may work on it. The result is false in a
 * child that shares or has copied the memory of the sampled process, and in a signal handler that has
 * interrupted the library. Async-signal-safe.
 */
bool memphis_session_is_usable(void);

/*
 * Called when the process begins to end, before the destructors of static objects run. If there are new
 * blocks, searches static memory a last time for pointers to them, because the destructors may clear these
 * pointers.
 */
void memphis_session_leave(void);

/*
 * Called when the process ends. Stops sampling. Waits up to `timeout_ms` until all remaining data is written
 * and the files are closed.
 */
void memphis_session_close(unsigned int timeout_ms);

/* Fork handler of the child. Discards the parent's session. The next caliper opens a new one. */
void memphis_session_forked(__u64 forked_ns);

#endif
