/* SPDX-License-Identifier: BSD-3-Clause */
/* Marks a thread as busy with the library's own work, so that its allocations are not attributed to the program. */
#ifndef MEMPHIS_BUSY_H
#define MEMPHIS_BUSY_H

#include <pthread.h>

/*
 * Positive while the library works on behalf of this thread. The allocations of the library do not count as
 * the program's. The variable is not static, so the compiler must assume that any function of the C library
 * reads it, however that function is declared.
 */
extern __thread int memphis_busy __attribute__((tls_model("initial-exec")));

/*
 * Added to `memphis_busy` while an allocation event is written or the stack is walked. A signal handler that
 * interrupts this work sees the value. The handler's own events are then not recorded, but counted.
 */
#define MEMPHIS_NOTING (1 << 16)

/*
 * Called before and after longer work of the library in a thread of the program. In between, allocations are
 * not tracked, and the thread can't be cancelled while it holds the library's locks. The result of
 * memphis_enter() must be passed to memphis_leave().
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
