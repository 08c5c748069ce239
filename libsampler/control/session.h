/* SPDX-License-Identifier: BSD-3-Clause */
/* Beginning and end of the sampling session, whose state is in core/session.h. */
#ifndef MEMPHIS_SESSION_CONTROL_H
#define MEMPHIS_SESSION_CONTROL_H

#include "core/session.h"

/* Open the backend that the settings allow, and map the session's page. 0, or -ENODEV after memphis_session_fail(). */
int memphis_session_open_backend(struct memphis_session *session);
void memphis_session_close_backend(struct memphis_session *session);

/*
 * The steps of memphis_session_start(), separate because sampling another process needs them one by one. Under the lock.
 * Open backend, files and memory; 0, or -ENODEV after memphis_session_fail().
 */
int memphis_session_open(struct memphis_session *session);
/* Attach all threads and start sampling. 0 or -errno. */
int memphis_session_switch_on(struct memphis_session *session);
/* Undo both after a failure; `problem` is set. */
void memphis_session_abandon(struct memphis_session *session);

/* Switch sampling on for the process, opening the session if need be; 0 or -ENODEV. Takes the lock. */
int memphis_session_start(void);
/* Switch sampling off, if no caliper is open or the process is `closing`. Takes the lock. */
void memphis_session_stop(int closing);

/* The process ends: stop sampling, write all that is left, close the files. */
void memphis_session_close(void);

/* In the child of a fork: forget the parent's session; the next caliper opens another. */
void memphis_session_forked(__u64 forked_ns);

#endif
