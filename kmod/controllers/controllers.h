/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counters of the memory controllers, which count for the whole machine. Root selects the counters with the
 * module parameter controllers; by default, it is empty and nothing is counted. All sessions share the
 * counters, and each session sees what they have counted since the session was opened.
 */
#ifndef MEMPHIS_CONTROLLERS_H
#define MEMPHIS_CONTROLLERS_H

#include <linux/types.h>

struct memphis_controllers;
struct memphis_device_session;

/**
 * memphis_controllers_init() - allows root to switch the counters on; called when the module is loaded
 */
void memphis_controllers_init(void);

/**
 * memphis_controllers_exit() - switches the counters off permanently; called when the module is unloaded
 */
void memphis_controllers_exit(void);

/**
 * memphis_controllers_available() - returns the number of entries that sessions can read
 *
 * Context: may sleep.
 *
 * Return: the number of entries, 0 if the counters are off.
 */
u32 memphis_controllers_available(void);

/**
 * memphis_controllers_begin() - stores the present counts, which are the start values of the session
 * @session: a new session. If the counters are off, or a count can't be read, the session gets no start
 *     values.
 *
 * Context: may sleep.
 *
 * Return: 0 or -ENOMEM.
 */
int memphis_controllers_begin(struct memphis_device_session *session);

/**
 * memphis_controllers_end() - frees what memphis_controllers_begin() has stored
 * @session: the session
 */
void memphis_controllers_end(struct memphis_device_session *session);

/**
 * memphis_controllers_read() - implements MEMPHIS_IOC_CONTROLLERS
 * @session: the session
 * @traffic: filled in; the caller has set it to zero
 *
 * Context: may sleep.
 *
 * Return: 0, -EACCES, -ESTALE or -ENXIO.
 */
int memphis_controllers_read(struct memphis_device_session *session, struct memphis_controllers *traffic);

#endif
