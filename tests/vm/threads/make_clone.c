// SPDX-License-Identifier: BSD-3-Clause
/* Creates threads with clone(), unknown to the C library. Valid as C++, too. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "work.h"

#include <sched.h>
#include <stdint.h>

#define STACK (64u << 10)
#define FLAGS (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM)

#ifdef __cplusplus
extern const char *const make_kind;
#endif
const char *const make_kind = "clone";
static void (*to_run)(int);
static char stacks[WORKERS][STACK] __attribute__((aligned(16)));

static int run(void *worker)
{
	to_run((int)(intptr_t)worker);
	return 0;
}

int make_thread(void (*body)(int), int worker)
{
	to_run = body;
	return clone(run, stacks[worker] + STACK, FLAGS, (void *)(intptr_t)worker) < 0;
}
