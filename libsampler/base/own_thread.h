/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The library's own threads. They run on all CPUs that the process may use, with the default scheduling
 * policy and all signals blocked: CPU binding and real-time priority of the thread that starts them are not
 * inherited.
 */
#ifndef MEMPHIS_OWN_THREAD_H
#define MEMPHIS_OWN_THREAD_H

#include <pthread.h>

/* Constant while the thread runs. */
struct memphis_own_thread {
	const char *name;
	void *(*run)(void *); /* the argument is NULL */
};

/* The C library's pthread_create(), since the library interposes that name. Set by memphis_next_setup(). */
extern int (*memphis_own_thread_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

/* Called once, when the library is loaded. */
void memphis_own_thread_setup(void);

/* Starts the thread detached. Returns 0 or -errno. */
int memphis_own_thread_start(const struct memphis_own_thread *thread);

#endif
