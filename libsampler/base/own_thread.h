/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The library's own threads. Whoever starts one may be bound to a core, or run at a real-time priority: neither is
 * inherited. They run where the process may, as ordinary threads, with all signals blocked.
 */
#ifndef MEMPHIS_OWN_THREAD_H
#define MEMPHIS_OWN_THREAD_H

/* Constant while the thread runs. */
struct memphis_own_thread {
	const char *name;
	void *(*run)(void *); /* its argument is NULL */
};

/* Once, when the library is loaded. */
void memphis_own_thread_setup(void);

/* Starts the thread, detached. 0 or -errno. */
int memphis_own_thread_start(const struct memphis_own_thread *thread);

#endif
