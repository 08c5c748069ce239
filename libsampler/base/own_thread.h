/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The library's own threads. Whoever starts one may be bound to a core, or run at a real-time priority: neither is
 * inherited. They run where the process may, as ordinary threads, with all signals blocked.
 */
#ifndef MEMPHIS_OWN_THREAD_H
#define MEMPHIS_OWN_THREAD_H

#include <pthread.h>

/* Constant while the thread runs. */
struct memphis_own_thread {
	const char *name;
	void *(*run)(void *); /* its argument is NULL */
};

/* The C library's pthread_create(), not the library's function of that name; set by memphis_next_setup(). */
extern int (*memphis_own_thread_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

/* Once, when the library is loaded. */
void memphis_own_thread_setup(void);

/* Starts the thread, detached. 0 or -errno. */
int memphis_own_thread_start(const struct memphis_own_thread *thread);

#endif
