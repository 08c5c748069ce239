/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of the library on standard error, and writes that must not raise a signal in the program. */
#ifndef MEMPHIS_SAY_H
#define MEMPHIS_SAY_H

#include <signal.h>

/* Records which file descriptor 2 is. To be called before main(). */
void memphis_say_setup(void);

/*
 * Prints to the standard error that the program was started with; prints nothing if descriptor 2 is another file by now.
 * errno is left alone. Not async-signal-safe.
 */
void memphis_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Bracket writes in a thread of the program: a write beyond RLIMIT_FSIZE, or to a pipe without a reader, is an error for the
 * library, but SIGXFSZ or SIGPIPE would end the program. The signals are blocked in between, and discarded unless they were
 * pending before.
 */
struct memphis_held {
	sigset_t mask, pending;
};
void memphis_signals_hold(struct memphis_held *held);
void memphis_signals_release(const struct memphis_held *held);

#endif
