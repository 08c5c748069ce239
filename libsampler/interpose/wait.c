/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interposition of the functions that wait for children, if they are asked for children of any kind (__WALL, __WCLONE), as tracers do: the
 * companions are such children, which the program must not see. While the program waits although it has no other child, which is to
 * fail with ECHILD if it traces no process either, there is no companion.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/companion.h"
#include "base/directory.h"
#include "control/session.h"
#include "interpose/next_symbols.h"
#include "record/drain.h"

#define PUBLIC __attribute__((visibility("default")))

PUBLIC pid_t MEMPHIS_ENTRY(waitpid)(pid_t pid, int *status, int options);
PUBLIC pid_t MEMPHIS_ENTRY(wait4)(pid_t pid, int *status, int options, struct rusage *usage);
PUBLIC int MEMPHIS_ENTRY(waitid)(idtype_t type, id_t id, siginfo_t *info, int options);

/* Returns true if the process has a companion, which such a wait might return. */
static bool may_return_companion(int options)
{
	return (options & (__WALL | __WCLONE)) && !memphis_busy && memphis_companions_are_there();
}

/* Returns true if the process has a child that is no companion, as far as procfs shows. */
static bool has_children(void)
{
	struct memphis_directory tasks;
	const char *name, *at;
	char text[128]; /* the first of a thread's children: more than there are companions */
	bool has = false;
	ssize_t length;
	char path[64];
	int fd;

	memphis_directory_open(&tasks, "/proc/self/task");
	while (!has && (name = memphis_directory_next(&tasks))) {
		snprintf(path, sizeof(path), "/proc/self/task/%.16s/children", name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		length = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
		if (fd >= 0)
			close(fd);
		if (length < 0) {
			has = true; /* unknown */
			break;
		}
		text[length] = '\0';
		for (at = text; *at && !has;) {
			char *end;
			const long child = strtol(at, &end, 10);

			if (end == at)
				break;
			has = !memphis_companion_has_pid((pid_t)child);
			at = end;
		}
	}
	memphis_directory_close(&tasks);
	return has;
}

/* Ends the companion if the program has no other child. Returns true if come_back() is to start it again. */
static bool step_aside(int *cancel)
{
	const int saved = errno;

	if (has_children()) {
		errno = saved;
		return false;
	}
	*cancel = memphis_enter();
	memphis_drain_leave(MEMPHIS_DRAIN_LEAVE_MS);
	errno = saved;
	return true;
}

static void come_back(bool aside, int cancel)
{
	const int saved = errno;

	if (aside) {
		memphis_drain_return();
		memphis_leave(cancel);
	}
	errno = saved;
}

pid_t MEMPHIS_ENTRY(wait4)(pid_t pid, int *status, int options, struct rusage *usage)
{
	pid_t child;
	bool aside;
	int cancel;

	memphis_next_setup();
	if (!may_return_companion(options))
		return memphis_next.wait4(pid, status, options, usage);
	aside = step_aside(&cancel);
	do
		child = memphis_next.wait4(pid, status, options, usage);
	while (child > 0 && memphis_companion_reap(child));
	come_back(aside, cancel);
	return child;
}

pid_t MEMPHIS_ENTRY(waitpid)(pid_t pid, int *status, int options)
{
	memphis_next_setup();
	if (!may_return_companion(options))
		return memphis_next.waitpid(pid, status, options);
	return MEMPHIS_ENTRY(wait4)(pid, status, options, NULL);
}

int MEMPHIS_ENTRY(waitid)(idtype_t type, id_t id, siginfo_t *info, int options)
{
	bool aside;
	int cancel, err;

	memphis_next_setup();
	if (!may_return_companion(options))
		return memphis_next.waitid(type, id, info, options);
	aside = step_aside(&cancel);
	do
		err = memphis_next.waitid(type, id, info, options);
	while (!err && info && info->si_pid && memphis_companion_reap(info->si_pid));
	come_back(aside, cancel);
	return err;
}
