/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Some namespaces can be entered only by single-threaded processes (unshare(2), setns(2)), as container
 * launchers do. For such a call, the library's threads end, and are started again in the new namespaces. The
 * same happens if the calling thread gets its own descriptor table (CLONE_FILES): otherwise, files and pipes
 * that the program closes would stay open in the table of the library's threads.
 */
#include <linux/close_range.h>
#include <sched.h>
#include <string.h>
#include <sys/stat.h>

#include "counters/counters.h"
#include "record/drain.h"
#include "interpose/next_symbols.h"
#include "core/session.h"

#define PUBLIC __attribute__((visibility("default")))

PUBLIC int MEMPHIS_ENTRY(unshare)(int flags);
PUBLIC int MEMPHIS_ENTRY(setns)(int fd, int type);
PUBLIC int MEMPHIS_ENTRY(close_range)(unsigned int first, unsigned int last, int flags);

#define LEAVE_MS 2000 /* a pass of the drain may be in progress */
#define TRIES    5    /* a task may leave the process a moment after its tid is free */

/* Returns 1 if the process has only one thread besides the library's, or if /proc is not readable. */
static int is_alone(void)
{
	const nlink_t own = !!memphis_drain_tid() + !!memphis_counters_tid();
	struct stat st;

	return own && (stat("/proc/self/task", &st) || st.st_nlink == 2 + 1 + own);
}

/* Returns 1 if the call may have failed because of the library's threads. */
static int is_refusal(int err)
{
	return err && (errno == EINVAL || errno == EUSERS);
}

/*
 * Ends the library's threads. Returns 1 if they were the only other threads; memphis_leave() then needs
 * *cancel.
 */
static int step_aside(int *cancel)
{
	struct memphis_session *s = &memphis_session;

	if (memphis_busy || s->pid != getpid() || memphis_is_copy() ||
	    atomic_load(&s->state) != MEMPHIS_SESSION_READY || !is_alone())
		return 0;
	*cancel = memphis_enter();
	/* End the drain first, since it would attach the other thread while that thread ends or starts. */
	memphis_drain_leave(LEAVE_MS);
	memphis_counters_leave(LEAVE_MS);
	return 1;
}

static void come_back(int cancel)
{
	int saved = errno;

	memphis_counters_return(&memphis_session);
	memphis_drain_return();
	memphis_leave(cancel);
	errno = saved;
}

/* Returns 1 if the call is to be repeated, after `tries` failures. */
static int is_refused(int err, int tries)
{
	const struct timespec moment = {.tv_nsec = 1000000};
	int saved = errno;

	if (!is_refusal(err) || tries == TRIES)
		return 0;
	nanosleep(&moment, NULL);
	errno = saved;
	return 1;
}

/*
 * Returns 1 if threads can be created again afterwards. After unshare(CLONE_NEWPID) they can't, since
 * children belong to another namespace.
 */
static int can_make_threads(int flags)
{
	char own[64], children[64];
	ssize_t own_bytes, bytes;
	int saved = errno;

	if (flags & CLONE_NEWPID)
		return 0;
	own_bytes = readlink("/proc/thread-self/ns/pid", own, sizeof(own));
	bytes = readlink("/proc/thread-self/ns/pid_for_children", children, sizeof(children));
	errno = saved;
	/* pid_for_children can't be read until the new namespace has its first process. */
	return own_bytes <= 0 || (bytes == own_bytes && !memcmp(own, children, (size_t)bytes));
}

int MEMPHIS_ENTRY(unshare)(int flags)
{
	int err = -1, cancel, saved = errno, tries = 0;

	memphis_next_setup();
	if (!(flags & CLONE_FILES) || !can_make_threads(flags)) {
		err = memphis_next.unshare(flags);
		if (!is_refusal(err) || !step_aside(&cancel))
			return err;
	} else if (!step_aside(&cancel)) {
		return memphis_next.unshare(flags);
	}
	do
		err = memphis_next.unshare(flags);
	while (is_refused(err, ++tries));
	errno = err ? errno : saved;
	come_back(cancel);
	return err;
}

int MEMPHIS_ENTRY(setns)(int fd, int type)
{
	int err, cancel, saved = errno, tries = 0;

	memphis_next_setup();
	err = memphis_next.setns(fd, type);
	if (!is_refusal(err) || !step_aside(&cancel))
		return err;
	do
		err = memphis_next.setns(fd, type);
	while (is_refused(err, ++tries));
	errno = err ? errno : saved;
	come_back(cancel);
	return err;
}

static int close_all(unsigned int first, unsigned int last, int flags)
{
	if (memphis_next.close_range)
		return memphis_next.close_range(first, last, flags);
	return (int)syscall(SYS_close_range, first, last, flags);
}

/* With CLOSE_RANGE_UNSHARE, close_range(2) first acts like unshare(CLONE_FILES). */
int MEMPHIS_ENTRY(close_range)(unsigned int first, unsigned int last, int flags)
{
	int err, cancel, saved = errno;

	memphis_next_setup();
	if (!(flags & CLOSE_RANGE_UNSHARE) || !can_make_threads(0) || !step_aside(&cancel))
		return close_all(first, last, flags);
	err = close_all(first, last, flags);
	errno = err ? errno : saved;
	come_back(cancel);
	return err;
}
