/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counters of attached threads in addition to the samples: cycles, instructions and selected events in user
 * mode. Each thread reads its own counters.
 */
#ifndef MEMPHIS_THREAD_COUNTERS_H
#define MEMPHIS_THREAD_COUNTERS_H

#include <linux/types.h>

struct memphis_config;
struct memphis_reading;
struct memphis_device_session;
struct memphis_device_thread;

/**
 * memphis_counters_find() - tries which counters perf gives to a thread; called at module load
 */
void memphis_counters_find(void);

/**
 * memphis_counters_available() - returns the counters that sessions may select
 *
 * Return: bit n is set for MEMPHIS_COUNTER_* n.
 */
u32 memphis_counters_available(void);

/**
 * memphis_counters_are_valid() - tests whether users may select these counters and events
 * @config: the configuration of a session
 *
 * Return: true if they may.
 */
bool memphis_counters_are_valid(const struct memphis_config *config);

/**
 * memphis_counters_try() - counts the selected events for a moment, at the same time as the session's samples
 * @session: the session for which the caller makes a request
 * @config: a valid configuration; without events, nothing is tried
 *
 * Context: sleeps.
 *
 * Return: 0; -ENOSPC if the CPU can't count all of them; or the error of perf.
 */
int memphis_counters_try(const struct memphis_device_session *session, const struct memphis_config *config);

/**
 * memphis_counters_create() - creates the counters that the session of a thread selects
 * @thread: the thread; it belongs to the calling process
 *
 * If perf refuses one of them, the thread has none.
 *
 * Context: sleeps; the caller holds session->lock.
 */
void memphis_counters_create(struct memphis_device_thread *thread);

/**
 * memphis_counters_release() - releases the counters of a thread, if it has any
 * @thread: the thread
 *
 * Context: sleeps.
 */
void memphis_counters_release(struct memphis_device_thread *thread);

/**
 * memphis_counters_read() - implements MEMPHIS_IOC_READ
 * @session: the session
 * @reading: filled in
 *
 * Return: 0, -ESRCH, -ENODATA or -EBUSY.
 */
int memphis_counters_read(struct memphis_device_session *session, struct memphis_reading *reading);

#endif
