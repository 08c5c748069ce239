/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages of the library on standard error, and protection of the program against signals raised by the
 * library's writes.
 */
#ifndef MEMPHIS_SAY_H
#define MEMPHIS_SAY_H

#include <signal.h>

/* Records the identity of the file behind descriptor 2. Must be called before main(). */
void memphis_say_setup(void);

/*
 * Prints to the standard error that the program was started with; prints nothing if descriptor 2 refers to another file now. Preserves
 * errno. Not async-signal-safe. A companion that may not open this file leaves its first message for memphis_say_untold().
 */
void memphis_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Called in a thread of the program: prints the message that a companion has left. Preserves errno. */
void memphis_say_untold(void);

/* Fork handler of the child: forgets the message that a companion has left, since the parent prints it. Async-signal-safe. */
void memphis_say_forked(void);

/*
 * Bracket writes in a thread of the program. A write beyond RLIMIT_FSIZE, or to a pipe without a reader, is
 * only an error for the library, but SIGXFSZ or SIGPIPE would kill the program. In between, the signals are
 * blocked; those that the writes raised are then discarded.
 */
struct memphis_held {
	sigset_t mask, pending;
};
void memphis_signals_hold(struct memphis_held *held);
void memphis_signals_release(const struct memphis_held *held);

#endif
