/* SPDX-License-Identifier: BSD-3-Clause */
/* Marks the library's own work in a thread, so that its allocations are not taken for the program's. */
#ifndef MEMPHIS_BUSY_H
#define MEMPHIS_BUSY_H

#include <pthread.h>

/* > 0: the library works on behalf of this thread; what it allocates is not the program's. */
extern __thread int memphis_busy __attribute__((tls_model("initial-exec")));

/*
 * Around the library's longer work in a thread of the program: allocations are not tracked, and the thread can't be
 * cancelled while it holds the library's locks. memphis_leave() takes what memphis_enter() returned.
 */
static inline int memphis_enter(void)
{
	int cancel;

	memphis_busy++;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	return cancel;
}

static inline void memphis_leave(int cancel)
{
	pthread_setcancelstate(cancel, NULL);
	memphis_busy--;
}

#endif
