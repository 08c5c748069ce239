/* SPDX-License-Identifier: BSD-3-Clause */
/* What interpose/next_symbols.c is to the shared library, for libmemphis.a: nobody is stood in front of, unless interpose/wrapped.c is there, too. */
#include "base/own_thread.h"
#include "control/tracking.h"
#include "interpose/next_symbols.h"

struct memphis_next memphis_next
	__attribute__((weak)) = {.pthread_create = pthread_create, .thrd_create = thrd_create};

void memphis_next_setup(void)
{
	static int done;

	if (done)
		return;
	done = 1;
	memphis_own_thread_create = memphis_next.pthread_create;
	memphis_tracking_setup(memphis_next.malloc != NULL);
}
