/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of the library on standard error, and protection of the program against signals raised by the library's writes. */
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/companion.h"
#include "base/proc.h"
#include "base/say.h"
#include "base/sys.h"

#define TEXT_BYTES 8192 /* two paths, an error and a remedy */

/* Signals that a failing write(2) sends to the calling thread. */
static const int held_signals[] = {SIGXFSZ, SIGPIPE};

static struct stat standard_error; /* status at the start; st_nlink 0: descriptor 2 was closed */

/* States of the message in `untold`. */
enum { NOTHING, WRITING, WAITS };

/*
 * A message that a companion could not print. A companion may not be allowed to open the program's
 * descriptors, or a pipe that another user has created.
 */
static struct {
	_Atomic int state;
	char text[TEXT_BYTES];
} untold;

void memphis_say_setup(void)
{
	if (fstat(STDERR_FILENO, &standard_error))
		standard_error = (struct stat){.st_nlink = 0};
}

/*
 * Returns true if the descriptor refers to the file that was the standard error at the start. A daemon may
 * have closed that file and reused the number.
 */
static bool is_standard_error(int fd)
{
	struct stat st;

	return fd >= 0 && !fstat(fd, &st) && st.st_dev == standard_error.st_dev &&
	       st.st_ino == standard_error.st_ino && st.st_rdev == standard_error.st_rdev;
}

/*
 * Returns a descriptor of the program's standard error, or -1. A companion with its own descriptor table must
 * not keep a pipe open, because the reader of the program's output waits until all tasks have closed the
 * pipe.
 */
static int open_standard_error(void)
{
	char path[MEMPHIS_PROC_PATH];
	int program, fd = -1;

	if (is_standard_error(STDERR_FILENO))
		return STDERR_FILENO;
	if (!memphis_companion_is_self())
		return -1;
	program = (int)syscall(SYS_pidfd_open, memphis_proc_pid(), 0);
	if (program >= 0) {
		/* Unlike opening /proc/PID/fd/2, this also works if standard error is a socket. */
		fd = (int)syscall(SYS_pidfd_getfd, program, STDERR_FILENO, 0);
		close(program);
	}
	if (fd < 0)
		fd = open(memphis_proc(path, "fd/2"),
			  O_WRONLY | O_APPEND | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (is_standard_error(fd))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static void write_text(int fd, const char *text)
{
	const size_t length = strlen(text);
	struct memphis_held held;
	size_t done = 0;
	ssize_t more;

	memphis_signals_hold(&held);
	while (done < length && (more = write(fd, text + done, length - done)) > 0)
		done += (size_t)more;
	memphis_signals_release(&held);
}

/* Stores the text for memphis_say_untold(), unless a text is already stored. */
static void store_untold(const char *text)
{
	int nothing = NOTHING;

	if (!atomic_compare_exchange_strong(&untold.state, &nothing, WRITING))
		return;
	strcpy(untold.text, text);
	atomic_store(&untold.state, WAITS);
}

void memphis_say(const char *format, ...)
{
	char text[TEXT_BYTES];
	int saved = errno, fd = open_standard_error();
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (fd >= 0)
		write_text(fd, text);
	else if (memphis_companion_is_self())
		store_untold(text);
	if (fd > STDERR_FILENO)
		close(fd);
	errno = saved;
}

void memphis_say_forked(void)
{
	if (atomic_load(&untold.state) != NOTHING)
		atomic_store(&untold.state, NOTHING);
}

void memphis_say_untold(void)
{
	const int saved = errno;
	int waits = WAITS;

	if (atomic_load_explicit(&untold.state, memory_order_relaxed) != WAITS ||
	    memphis_companion_is_self() || !atomic_compare_exchange_strong(&untold.state, &waits, WRITING))
		return;
	if (is_standard_error(STDERR_FILENO))
		write_text(STDERR_FILENO, untold.text);
	atomic_store(&untold.state, NOTHING);
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

/* Discards the signals that became pending since memphis_signals_hold(), because the library's writes raised them. */
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
