/* SPDX-License-Identifier: BSD-3-Clause */
/* What the library tells on standard error, and how it writes without a signal for the program. */
#ifndef MEMPHIS_SAY_H
#define MEMPHIS_SAY_H

#include <signal.h>

/* Remember which file standard error is. Before the program's first instruction. */
void memphis_say_setup(void);

/* To the standard error that the program was started with; to nothing else that has its number by now. */
void memphis_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Around writing in a thread of the program: a write beyond the limit of file sizes, or to a pipe that nobody reads, is
 * an error for us, but would be a signal for the program.
 */
struct memphis_held {
	sigset_t mask, pending;
};
void memphis_signals_hold(struct memphis_held *held);
void memphis_signals_release(const struct memphis_held *held);

#endif
