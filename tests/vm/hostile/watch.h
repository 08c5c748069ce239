/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds what hangs: each process notes when it begins and ends a request; another process looks at these notes, and reports who
 * has not come back, and where in the kernel.
 */
#ifndef WATCH_H
#define WATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Returns the seconds after which a request counts as one that never ends: 120, or the environment variable PATIENCE. The longest one
 * takes a second on a host that has nothing else to do; the kernel reports a task that waits longer than 120 s by itself.
 */
unsigned int patience(void);

/* What a process does again and again, in memory that all processes share. */
struct duty {
	uint64_t begun; /* milliseconds, 0 while nothing is being done */
	uint64_t longest, count;
};

uint64_t milliseconds(void); /* of the clock, never 0 */
void begin_duty(struct duty *duty);
void end_duty(struct duty *duty);
/* True if the duty was begun more than patience() ago. */
bool is_overdue(const struct duty *duty);

/*
 * Prints state and kernel stack of the tasks that wait or run in the kernel, each stack once, with the number of its tasks. Takes at
 * most half a minute, even if the kernel can't tell, because the lock of a task is held for longer.
 */
void print_stuck(void);

/* The number of processes of this user. */
unsigned int processes_of(unsigned int uid);

#endif
