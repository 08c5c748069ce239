/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interposition of the functions that wait for children. Tracers wait for children of any kind (__WALL,
 * __WCLONE). The companions are such children, but the program must not see them. If the program has no other
 * child and traces no process, such a wait must fail with ECHILD. The companion is therefore ended during the
 * wait. A program that adopts orphans must not see the companions of programs that were killed, whatever
 * child it waits for.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/busy.h"
#include "base/companion.h"
#include "base/fd.h"
#include "base/proc.h"
#include "control/session.h"
#include "interpose/next_symbols.h"
#include "interpose/syscall.h"
#include "record/drain.h"

#define EXIT_SIGNAL 38 /* field of /proc/PID/stat */

PUBLIC pid_t MEMPHIS_ENTRY(wait)(int *status);
PUBLIC pid_t MEMPHIS_ENTRY(waitpid)(pid_t pid, int *status, int options);
PUBLIC pid_t MEMPHIS_ENTRY(wait3)(int *status, int options, struct rusage *usage);
MEMPHIS_WAITS(MEMPHIS_DECLARE)

typedef int wait_function(idtype_t type, id_t id, siginfo_t *info, int options);

/* Does the same as waitid() of the C library, but is no cancellation point. */
static int make_waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
	return (int)memphis_next.syscall(SYS_waitid, (long)type, (long)id, (long)info, options, 0, 0);
}

/*
 * Used in a program that adopts orphans. Waits for an event of any child until the event belongs to a child
 * that is no companion. Removes the entries of companions. Returns 0 if the program's own wait can be made
 * now, or -1 with errno if it was interrupted.
 */
static int reap_orphans(int options, wait_function *look)
{
	const int saved = errno;
	siginfo_t info;

	for (;;) {
		info.si_pid = 0;
		if (look(P_ALL, 0, &info, options | WEXITED | WNOWAIT)) {
			if (errno == EINTR)
				return -1;
			break;
		}
		if (!info.si_pid || !memphis_companion_has_name(info.si_pid))
			break;
		sys_call(SYS_wait4, info.si_pid, 0, __WALL | WNOHANG, 0, 0, 0);
	}
	errno = saved;
	return 0;
}

/* Returns true if a wait with these options might return a companion of this process. */
static bool may_return_companion(int options)
{
	return (options & (__WALL | __WCLONE)) && !memphis_busy && memphis_companions_are_there();
}

/*
 * Returns true if a wait with these options can return this child, and the child is no companion. __WCLONE
 * without __WALL waits only for children whose exit signal is not SIGCHLD. Also returns true if procfs does
 * not show the exit signal.
 */
static bool may_return_child(pid_t child, int options)
{
	char path[MEMPHIS_PROC_PATH];

	if (memphis_companion_has_pid(child))
		return false;
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)child);
	return (options & __WALL) || memphis_proc_field(path, EXIT_SIGNAL) != SIGCHLD;
}

/* Returns true if the wait can return any child in a file /proc/PID/task/TID/children, or if the file can't be read. */
static bool has_child(const char *path, int options)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool has = fd < 0;
	char text[128];
	pid_t child = 0;
	ssize_t length, i;

	while (!has && (length = read(fd, text, sizeof(text))) != 0) {
		has = length < 0;
		for (i = 0; i < length && !has; i++) {
			if (text[i] >= '0' && text[i] <= '9') {
				child = child * 10 + text[i] - '0';
			} else if (child) {
				has = may_return_child(child, options);
				child = 0;
			}
		}
	}
	if (child && !has)
		has = may_return_child(child, options);
	if (fd >= 0)
		close(fd);
	return has;
}

/* Returns true if the wait can return any child of the process. */
static bool has_children(int options)
{
	struct memphis_directory tasks;
	const char *name;
	char path[64];
	bool has = false;

	memphis_directory_open(&tasks, "/proc/self/task");
	while (!has && (name = memphis_directory_next(&tasks))) {
		snprintf(path, sizeof(path), "/proc/self/task/%.16s/children", name);
		has = has_child(path, options);
	}
	memphis_directory_close(&tasks);
	return has;
}

/* Ends the companion if the program has no other child. Returns true if restart_companion() must start it again. */
static bool end_companion(int options, int *cancel)
{
	const int saved = errno;

	if (has_children(options)) {
		errno = saved;
		return false;
	}
	*cancel = memphis_enter();
	memphis_drain_leave(MEMPHIS_DRAIN_LEAVE_MS);
	errno = saved;
	return true;
}

static void restart_companion(bool aside, int cancel)
{
	const int saved = errno;

	if (aside) {
		memphis_drain_return();
		memphis_leave(cancel);
	}
	errno = saved;
}

/* Waits as wait4() does. All functions below call it. `is_call`: the program makes the system call directly. */
static pid_t wait_for_pid(pid_t pid, int *status, int options, struct rusage *usage, bool is_call)
{
	pid_t child;
	bool aside = false;
	int cancel;

	memphis_next_setup();
	if (memphis_companions_are_adopted && pid == -1 &&
	    reap_orphans(options, is_call ? make_waitid : memphis_next.waitid))
		return -1;
	if (may_return_companion(options))
		aside = end_companion(options, &cancel);
	do
		child = is_call ? (pid_t)memphis_next.syscall(SYS_wait4, pid, (long)status, options,
							      (long)usage, 0, 0)
				: memphis_next.wait4(pid, status, options, usage);
	while (child > 0 && memphis_companion_reap(child));
	restart_companion(aside, cancel);
	return child;
}

pid_t MEMPHIS_ENTRY(wait)(int *status)
{
	return wait_for_pid(-1, status, 0, NULL, false);
}

pid_t MEMPHIS_ENTRY(waitpid)(pid_t pid, int *status, int options)
{
	return wait_for_pid(pid, status, options, NULL, false);
}

pid_t MEMPHIS_ENTRY(wait3)(int *status, int options, struct rusage *usage)
{
	return wait_for_pid(-1, status, options, usage, false);
}

pid_t MEMPHIS_ENTRY(wait4)(pid_t pid, int *status, int options, struct rusage *usage)
{
	return wait_for_pid(pid, status, options, usage, false);
}

long memphis_wait_call_wait4(UNUSED long number, const long a[6], UNUSED void *frame)
{
	return wait_for_pid((pid_t)a[0], (int *)a[1], (int)a[2], (struct rusage *)a[3], true);
}

static int wait_for_id(idtype_t type, id_t id, siginfo_t *info, int options, wait_function *make)
{
	bool aside = false;
	int cancel, err;

	memphis_next_setup();
	if (memphis_companions_are_adopted && type == P_ALL && (options & WEXITED) &&
	    reap_orphans(options, make))
		return -1;
	if (may_return_companion(options))
		aside = end_companion(options, &cancel);
	do
		err = make(type, id, info, options);
	while (!err && info && info->si_pid && memphis_companion_reap(info->si_pid));
	restart_companion(aside, cancel);
	return err;
}

int MEMPHIS_ENTRY(waitid)(idtype_t type, id_t id, siginfo_t *info, int options)
{
	memphis_next_setup();
	return wait_for_id(type, id, info, options, memphis_next.waitid);
}

long memphis_wait_call_waitid(long number, const long a[6], UNUSED void *frame)
{
	if (a[4]) /* the call also asks for the resource usage, which the C function can't return */
		return memphis_next_call(number, a);
	return wait_for_id((idtype_t)a[0], (id_t)a[1], (siginfo_t *)a[2], (int)a[3], make_waitid);
}
