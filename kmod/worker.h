/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a thread of the kernel does on behalf of a request.
 */
#ifndef MEMPHIS_WORKER_H
#define MEMPHIS_WORKER_H

int memphis_worker_init(void);
void memphis_worker_exit(void);

/*
 * Calls the function in a thread of the kernel, waits for it, and returns what it returned. What the caller may do has
 * to be checked before: in there everything is allowed, and current is nobody's. May sleep; signals are not looked at,
 * as the function takes no longer than it would take here.
 */
int memphis_worker_run(int (*function)(void *argument), void *argument);

#endif
