/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of the library on standard error, and protection of the program against signals raised by the library's writes. */
#ifndef MEMPHIS_SAY_H
#define MEMPHIS_SAY_H

#include <signal.h>

/* Records the identity of the file behind descriptor 2. Must be called before main(). */
void memphis_say_setup(void);

/*
 * Prints to the program's original standard error. Prints nothing if descriptor 2 refers to another file now.
 * A companion that may not open this file stores its first message for memphis_say_untold(). Preserves errno.
 * Not async-signal-safe.
 */
void memphis_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Called in a thread of the program. Prints the message that a companion has stored. Preserves errno. */
void memphis_say_untold(void);

/*
 * Fork handler of the child. Discards the message that a companion has stored, because the parent prints it.
 * Async-signal-safe.
 */
void memphis_say_forked(void);

/*
 * Called before and after writes in a thread of the program. For the library, a write beyond RLIMIT_FSIZE or
 * to a pipe without a reader is only an error. But SIGXFSZ or SIGPIPE would kill the program. The signals are
 * blocked between the two calls. Signals that the writes have raised are then discarded.
 */
struct memphis_held {
	sigset_t mask, pending;
};
void memphis_signals_hold(struct memphis_held *held);
void memphis_signals_release(const struct memphis_held *held);

#endif
