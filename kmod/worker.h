/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Executes functions in a kernel thread on behalf of a request.
 */
#ifndef MEMPHIS_WORKER_H
#define MEMPHIS_WORKER_H

/**
 * memphis_worker_init() - called at module load, before any memphis_worker_run()
 *
 * Return: 0 or -ENOMEM.
 */
int memphis_worker_init(void);

/**
 * memphis_worker_exit() - called at module unload
 */
void memphis_worker_exit(void);

/**
 * memphis_worker_run() - calls a function in a kernel thread, and waits for it
 * @function: the function. It runs with all rights, and current is not the requester, so permissions
 *	have to be checked before. It must not take a lock that the caller holds.
 * @argument: passed to the function
 *
 * Context: may sleep. Signals do not interrupt the wait, as the function takes no longer than in the caller's
 * own context.
 *
 * Return: the function's result.
 */
int memphis_worker_run(int (*function)(void *argument), void *argument);

#endif
