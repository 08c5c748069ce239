/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counters of the memory controllers, which count for the whole machine. Root selects them by the module parameter controllers, or leaves it
 * empty (the default); all sessions share them, and each sees what they have counted since it was opened.
 */
#ifndef MEMPHIS_CONTROLLERS_H
#define MEMPHIS_CONTROLLERS_H

#include <linux/types.h>

struct memphis_controllers;
struct memphis_device_session;

/**
 * memphis_controllers_init() - lets root switch the counters on; called at module load
 */
void memphis_controllers_init(void);

/**
 * memphis_controllers_exit() - switches the counters off for good; called at module unload
 */
void memphis_controllers_exit(void);

/**
 * memphis_controllers_available() - returns the number of entries that sessions can read
 *
 * Context: sleeps.
 *
 * Return: 0 if the counters are off.
 */
u32 memphis_controllers_available(void);

/**
 * memphis_controllers_begin() - records the present counts as those at which the session begins
 * @session: a new session. If the counters are off, or a count can't be read, it has none to begin from.
 *
 * Context: sleeps.
 *
 * Return: 0 or -ENOMEM.
 */
int memphis_controllers_begin(struct memphis_device_session *session);

/**
 * memphis_controllers_end() - frees what memphis_controllers_begin() has recorded
 * @session: the session
 */
void memphis_controllers_end(struct memphis_device_session *session);

/**
 * memphis_controllers_read() - implements MEMPHIS_IOC_CONTROLLERS
 * @session: the session
 * @traffic: filled in; all zero before
 *
 * Context: sleeps.
 *
 * Return: 0, -EACCES, -ESTALE or -ENXIO.
 */
int memphis_controllers_read(struct memphis_device_session *session, struct memphis_controllers *traffic);

#endif
