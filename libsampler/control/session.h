/* SPDX-License-Identifier: BSD-3-Clause */
/* The session's beginning and end. */
#ifndef MEMPHIS_SESSION_CONTROL_H
#define MEMPHIS_SESSION_CONTROL_H

#include "core/session.h"

/* Open the backend that the settings allow, and map the session's page. 0, or -ENODEV after memphis_session_fail(). */
int memphis_session_open_backend(struct memphis_session *session);
void memphis_session_close_backend(struct memphis_session *session);

/* What the next one is made of, for one thread and the process's beginning: 0 or -errno, `problem` told by the first. */
int memphis_session_open(struct memphis_session *session);
int memphis_session_switch_on(struct memphis_session *session);
/* Undo it; `problem` is set. */
void memphis_session_abandon(struct memphis_session *session);

/* Switch sampling on for the process, opening the session if need be; 0 or -ENODEV. Takes the lock. */
int memphis_session_start(void);
/* Switch it off again, if no caliper is open or the process is `closing`. Takes the lock. */
void memphis_session_stop(int closing);

/* The end of the process: stop, write all that is left, close the files. */
void memphis_session_close(void);

/* In the child of a fork: forget the parent's session. */
void memphis_session_forked(__u64 forked_ns);

#endif
