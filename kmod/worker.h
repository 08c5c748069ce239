/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Executes functions in a kernel thread on behalf of a request.
 */
#ifndef MEMPHIS_WORKER_H
#define MEMPHIS_WORKER_H

#include <linux/types.h>

struct work_struct;

/**
 * memphis_worker_init() - creates the work queue; called at module load
 *
 * Return: 0, or -ENOMEM if memory is exhausted.
 */
int memphis_worker_init(void);

/**
 * memphis_worker_exit() - destroys the work queue; called at module unload
 */
void memphis_worker_exit(void);

/**
 * memphis_worker_run() - calls a function in a kernel thread, and waits until it returns
 * @function: the function. It runs with full privileges, and current is not the requester, so the caller has to
 *	check permissions first. The function must not take a lock that the caller holds.
 * @argument: passed to the function
 *
 * Context: may sleep. Signals do not interrupt the wait, because the function takes no longer than if the caller
 * executed it.
 *
 * Return: the result of the function.
 */
int memphis_worker_run(int (*function)(void *argument), void *argument);

/**
 * memphis_worker_queue() - makes a kernel thread execute a work item soon
 * @work: the work item
 *
 * Context: any. The module is not unloaded before the function of the work item has returned.
 *
 * Return: false if the item is queued already.
 */
bool memphis_worker_queue(struct work_struct *work);

#endif
