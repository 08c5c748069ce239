/* SPDX-License-Identifier: BSD-3-Clause */
/* What the library tells on standard error, and how it writes without a signal for the program. */
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/say.h"
#include "base/sys.h"

static const int held_signals[] = {SIGXFSZ, SIGPIPE};

static struct stat standard_error; /* st_nlink 0: there was none */

void memphis_say_setup(void)
{
	if (fstat(STDERR_FILENO, &standard_error))
		standard_error = (struct stat){.st_nlink = 0};
}

/* A daemon closes everything, and its own file gets the number. */
static int is_standard_error(void)
{
	struct stat st;

	return !fstat(STDERR_FILENO, &st) && st.st_dev == standard_error.st_dev &&
	       st.st_ino == standard_error.st_ino && st.st_rdev == standard_error.st_rdev;
}

void memphis_say(const char *format, ...)
{
	struct memphis_held held;
	int saved = errno;
	va_list args;

	if (is_standard_error()) {
		memphis_signals_hold(&held);
		va_start(args, format);
		vdprintf(STDERR_FILENO, format, args);
		va_end(args);
		memphis_signals_release(&held);
	}
	errno = saved;
}

static void fill_held_set(sigset_t *set)
{
	size_t i;

	sigemptyset(set);
	for (i = 0; i < ARRAY_SIZE(held_signals); i++)
		sigaddset(set, held_signals[i]);
}

void memphis_signals_hold(struct memphis_held *held)
{
	sigset_t set;

	fill_held_set(&set);
	pthread_sigmask(SIG_BLOCK, &set, &held->mask);
	sigpending(&held->pending);
}

/* What came meanwhile is ours. */
void memphis_signals_release(const struct memphis_held *held)
{
	const struct timespec at_once = {0, 0};
	int saved = errno;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(held_signals); i++) {
		sigset_t one;

		sigemptyset(&one);
		sigaddset(&one, held_signals[i]);
		if (!sigismember(&held->pending, held_signals[i]))
			while (sigtimedwait(&one, NULL, &at_once) > 0)
				;
	}
	pthread_sigmask(SIG_SETMASK, &held->mask, NULL);
	errno = saved;
}
