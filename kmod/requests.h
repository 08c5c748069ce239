/* SPDX-License-Identifier: GPL-2.0-only */
/* The requests of <memphis/device.h> to a session, and its opening and release. session.h has its state and the lock order. */
#ifndef MEMPHIS_REQUESTS_H
#define MEMPHIS_REQUESTS_H

#include <linux/types.h>

#include <memphis/device.h>

#include "sampler.h"

struct memphis_device_session;
struct memphis_device_thread;

/* The sampler of sessions without a hardware filter. Set when the module is loaded. */
extern const struct memphis_sampler *memphis_sampler;

/**
 * memphis_sampler_init() - selects the sampler, and initialises all samplers that sessions may use
 *
 * Return: 0 or a negative errno.
 */
int memphis_sampler_init(void);

/**
 * memphis_sampler_exit() - undoes memphis_sampler_init()
 */
void memphis_sampler_exit(void);

/**
 * memphis_threads_max() - returns the limit on the number of threads that a session may attach
 *
 * Return: the current value of the module parameter threads_max.
 */
u32 memphis_threads_max(void);

/**
 * memphis_ring_records_max() - returns the maximum capacity of a ring
 *
 * Return: the number of records.
 */
u32 memphis_ring_records_max(void);

/**
 * memphis_session_open() - creates a session owned by the caller's process
 *
 * Return: the session, or an error pointer: -EPERM if the caller has no mm, -EDQUOT if the user's budget is
 * exceeded, -ENOMEM if memory is exhausted.
 */
struct memphis_device_session *memphis_session_open(void);

/**
 * memphis_session_release() - ends the session, and frees it
 * @session: the session; the caller holds the only reference to the session's file
 */
void memphis_session_release(struct memphis_device_session *session);

/**
 * memphis_session_agree() - agrees on the newest version of the interface that both the caller and the module
 * know
 * @session: the session
 * @agreement: in: the caller's range of versions; out: the module's range, and the version that was agreed on
 *
 * Return: 0, -EINVAL if the oldest version is 0 or above the newest one or `reserved` is not 0, or -EBUSY if
 * the session is configured.
 */
int memphis_session_agree(struct memphis_device_session *session, struct memphis_agreement *agreement);

/**
 * memphis_session_abi() - returns the version of the interface that the session uses
 * @session: the session
 *
 * Return: the version.
 */
u32 memphis_session_abi(struct memphis_device_session *session);

/**
 * memphis_session_owned_by_current() - tests whether the caller owns the session
 * @session: the session
 *
 * A task that shares the memory counts as the owner even if it is no thread of the process (CLONE_VM without
 * CLONE_THREAD). Such a task could modify the requests of the process's threads anyway. The library's
 * companions are such tasks.
 *
 * Return: true if the calling task has the memory (mm) in which the session was opened; after execve(), it
 * has other memory.
 */
bool memphis_session_owned_by_current(const struct memphis_device_session *session);

/*
 * The following functions implement the requests of <memphis/device.h>, which documents their errors. Each function
 * takes session->lock, and does not access user memory.
 */

/**
 * memphis_session_configure() - implements MEMPHIS_IOC_CONFIGURE
 * @session: the session
 * @config: the new configuration; validated here
 *
 * Return: 0, -EINVAL, -EACCES or -EBUSY.
 */
int memphis_session_configure(struct memphis_device_session *session, const struct memphis_config *config);

/**
 * memphis_session_attach() - implements MEMPHIS_IOC_ATTACH
 * @session: the session
 * @attach: in: the thread, validated here; out: offsets and size of the thread's areas
 *
 * Return: 0 or a negative errno.
 */
int memphis_session_attach(struct memphis_device_session *session, struct memphis_attach *attach);

/**
 * memphis_session_detach() - implements MEMPHIS_IOC_DETACH
 * @session: the session
 * @tid: thread ID in the caller's PID namespace, or 0 for the caller
 *
 * Return: 0 or -ESRCH.
 */
int memphis_session_detach(struct memphis_device_session *session, pid_t tid);

/**
 * memphis_session_start() - implements MEMPHIS_IOC_START
 * @session: the session
 *
 * Return: 0, -EALREADY, -ENODATA or -EBUSY.
 */
int memphis_session_start(struct memphis_device_session *session);

/**
 * memphis_session_stop() - implements MEMPHIS_IOC_STOP; on return no handler of the session is running
 * @session: the session
 *
 * Return: 0 or -EALREADY.
 */
int memphis_session_stop(struct memphis_device_session *session);

/**
 * memphis_session_stats() - implements MEMPHIS_IOC_STATS
 * @session: the session
 * @stats: filled in
 */
void memphis_session_stats(struct memphis_device_session *session, struct memphis_stats *stats);

/**
 * memphis_session_is_due() - tests for poll() whether any ring is due to be drained
 * @session: the session
 *
 * Also sets status.exited of all threads that have ended.
 *
 * Return: true if at least one ring is due.
 */
bool memphis_session_is_due(struct memphis_device_session *session);

/**
 * memphis_session_get_thread() - looks up a thread by its mmap slot
 * @session: the session
 * @slot: index of the slot
 *
 * Return: the thread, with a reference taken; NULL if the slot is empty.
 */
struct memphis_device_thread *memphis_session_get_thread(struct memphis_device_session *session, u32 slot);

#endif
