/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a thread of the kernel does on behalf of a request.
 */
#ifndef MEMPHIS_WORKER_H
#define MEMPHIS_WORKER_H

/**
 * memphis_worker_init() - when the module is loaded, before any memphis_worker_run()
 *
 * Return: 0 or -ENOMEM.
 */
int memphis_worker_init(void);

/**
 * memphis_worker_exit() - when the module is removed
 */
void memphis_worker_exit(void);

/**
 * memphis_worker_run() - calls a function in a thread of the kernel, and waits for it
 * @function: what to call. What the requester may do has to be checked before: in there everything is allowed, and current is
 *	nobody's. It must not take a lock that the caller holds.
 * @argument: for the function
 *
 * May sleep. Signals are not looked at, as the function takes no longer than it would take here.
 *
 * Return: what the function returned.
 */
int memphis_worker_run(int (*function)(void *argument), void *argument);

#endif
