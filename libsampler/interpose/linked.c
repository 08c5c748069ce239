/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replaces interpose/next_symbols.c in libmemphis.a. No function is interposed, unless interpose/wrapped.c is
 * linked, too. Its table overrides the weak table below.
 */
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
	memphis_tracking_setup(memphis_next.malloc != NULL);
}

void memphis_next_complete(void)
{
	memphis_next_setup();
}
