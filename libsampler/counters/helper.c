/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Starts the helper programs, sends requests to them and receives their answers. Blocks only the companion
 * that reads counters, and only briefly.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "counters/helper.h"
#include "settings/counter_list.h"
#include "base/companion.h"
#include "base/fd.h"
#include "base/proc.h"
#include "core/session.h"
#include "base/sys.h"
#include "base/text.h"

#define PATIENCE_MS   100 /* maximum wait for an answer; the next reading takes a later answer */
#define CHILD_STACK   65536
#define RESTART_NS    2000000000u /* minimum time between two starts */
#define ARGUMENTS_MAX 4096
#define SIGNALS       64
/* number of descriptors to close if there is no close_range(2), before Linux 5.9 */
#define CLOSE_MAX 65536

struct helper {
	const char *program;
	struct memphis_fd fd; /* socket connected to the helper's standard input and output */
	char names[MEMPHIS_COUNTER_LIST_MAX];
	__u64 started_ns, asked_ns;
	bool asked;   /* a request was sent and is not answered yet */
	char *answer; /* MEMPHIS_HELPER_ANSWER_MAX bytes */
	size_t used;
	char why[128];
};

static char beside[PATH_MAX]; /* directory of the helpers beside the library; "": unknown */

void memphis_helper_setup(void)
{
	Dl_info info;
	char *slash;

	if (memphis_companion_is_self() || beside[0] ||
	    !dladdr((const void *)(uintptr_t)memphis_helper_parse, &info) || !info.dli_fname ||
	    !realpath(info.dli_fname, beside))
		return;
	slash = strrchr(beside, '/');
	if (slash && slash - beside < PATH_MAX - 64)
		strcpy(slash, "/memphis");
	else
		beside[0] = '\0';
}

/* Finds the program beside the library or in a directory where packages install it. Returns 0 or -ENOENT. */
static int find_program(const char *program, char path[PATH_MAX])
{
	const char *const places[] = {beside, "/usr/lib/memphis", "/usr/lib/x86_64-linux-gnu/memphis",
				      "/usr/local/lib/memphis"};
	size_t i;

	for (i = !beside[0]; i < ARRAY_SIZE(places); i++) {
		snprintf(path, PATH_MAX, "%s/%s", places[i], program);
		if (!access(path, X_OK))
			return 0;
	}
	return -ENOENT;
}

struct launch {
	const char *path;
	char **arguments, **environment;
	int fd, err;
	char *stack; /* upper end of the grandchild's stack */
};

/*
 * Runs in the grandchild. The grandchild shares the program's memory while the companion waits (CLONE_VFORK),
 * so it uses raw system calls only. Closes all descriptors of the program. Otherwise the helper would keep
 * the program's pipes open, and their readers would not see the end of the program.
 */
static int run_helper(void *data)
{
	struct launch *launch = data;
	int signal, fd;
	sigset_t none;

	for (signal = 1; signal <= SIGNALS; signal++) {
		/* The kernel's struct sigaction (handler, flags, restorer, mask), filled in for the default action. */
		const unsigned long preset[4] = {0};

		syscall(SYS_rt_sigaction, signal, preset, NULL, 8);
	}
	syscall(SYS_dup2, launch->fd, 0);
	syscall(SYS_dup2, launch->fd, 1);
	fd = (int)syscall(SYS_open, "/dev/null", O_WRONLY, 0);
	syscall(SYS_dup2, fd, 2);
	if (syscall(SYS_close_range, 3, ~0u, 0))
		for (fd = 3; fd < CLOSE_MAX; fd++)
			syscall(SYS_close, fd);
	sigemptyset(&none);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, 8);
	syscall(SYS_execve, launch->path, launch->arguments, launch->environment);
	launch->err = errno;
	syscall(SYS_exit, 127);
	return 127;
}

/*
 * Runs in the child, which exits at once. The helper thereby becomes an orphan, so the program has no child
 * that it did not create.
 */
static int run_child(void *data)
{
	struct launch *launch = data;

	if (clone(run_helper, launch->stack, CLONE_VM | CLONE_VFORK, launch) < 0)
		launch->err = errno;
	syscall(SYS_exit, 0);
	return 0;
}

/* Fills in the environment with which the program was started. Leaves out variables that load this library or configure it. */
static void fill_environment(struct memphis_text_buffer *text, char **list, size_t count)
{
	char path[MEMPHIS_PROC_PATH];
	size_t used = 0;
	char *at;

	if (!memphis_text_read(text, memphis_proc_memory(path, "environ")) && text->used)
		for (at = text->data; at < text->data + text->used && used + 1 < count; at += strlen(at) + 1)
			if (strncmp(at, "LD_PRELOAD=", 11) && strncmp(at, "LD_AUDIT=", 9) &&
			    (strncmp(at, "MEMPHIS_", 8) || !strncmp(at, "MEMPHIS_COUNTERS_PCP_HOST=", 26)))
				list[used++] = at;
	list[used] = NULL;
}

/*
 * Creates the child process. The child is cloned without an exit signal, so the program gets no SIGCHLD for
 * it, and a wait() of the program does not return it.
 */
static int spawn_child(struct helper *helper, int fd)
{
	char path[PATH_MAX], number[16], *arguments[] = {path, helper->names, number, NULL};
	struct memphis_text_buffer environment = {0};
	struct launch launch = {.path = path, .arguments = arguments, .fd = fd};
	char *stacks;
	pid_t child;
	int err = find_program(helper->program, path);

	if (err)
		return err;
	snprintf(number, sizeof(number), "%d", (int)memphis_session.identity.pid);
	stacks = sys_map(2 * CHILD_STACK);
	launch.stack = stacks + 2 * CHILD_STACK;
	launch.environment = sys_map(ARGUMENTS_MAX * sizeof(char *));
	err = -ENOMEM;
	if (stacks && launch.environment) {
		fill_environment(&environment, launch.environment, ARGUMENTS_MAX);
		child = clone(run_child, stacks + CHILD_STACK, CLONE_VM | CLONE_VFORK, &launch);
		err = child < 0 ? -errno : -launch.err;
		while (child > 0 && sys_call(SYS_wait4, child, 0, __WCLONE, 0, 0, 0) == -EINTR)
			;
	}
	sys_unmap(stacks, 2 * CHILD_STACK);
	sys_unmap(launch.environment, ARGUMENTS_MAX * sizeof(char *));
	memphis_text_free(&environment);
	return err;
}

/* Starts the helper. Returns 0 or -errno. */
static int start_helper(struct helper *helper)
{
	struct rlimit before;
	int ends[2], err;

	helper->started_ns = now_ns();
	helper->asked = false;
	helper->used = 0;
	if (!helper->answer)
		helper->answer = sys_map(MEMPHIS_HELPER_ANSWER_MAX);
	if (!helper->answer)
		return -ENOMEM;
	memphis_fd_raise(&before);
	err = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) ? -errno : 0;
	memphis_fd_restore(&before);
	if (err)
		return err;
	err = spawn_child(helper, ends[1]);
	close(ends[1]);
	if (!err)
		return memphis_fd_take(&helper->fd, ends[0]);
	close(ends[0]);
	return err;
}

static const char *open_helper(struct helper *helper, const char *list)
{
	int err;

	strcpy(helper->names, list);
	err = start_helper(helper);
	if (!err)
		return NULL;
	snprintf(helper->why, sizeof(helper->why), "%s: %s%s", helper->program, memphis_error_text(-err),
		 err == -ENOENT
			 ? "; it is built with libmemphis only if its library (libpcp, libpapi) is installed"
			 : "");
	return helper->why;
}

/* Returns true if the answer is complete, which means that its last line is a dot. */
static bool is_answer_complete(const struct helper *helper)
{
	size_t used = helper->used;

	return used >= 2 && !memcmp(helper->answer + used - 2, ".\n", 2) &&
	       (used == 2 || helper->answer[used - 3] == '\n');
}

/* Receives the data that is available. Returns false if the helper has exited or the answer is too long. */
static bool receive_data(struct helper *helper, int fd)
{
	ssize_t got = recv(fd, helper->answer + helper->used, MEMPHIS_HELPER_ANSWER_MAX - 1 - helper->used,
			   MSG_DONTWAIT);

	if (got > 0)
		helper->used += (size_t)got;
	helper->answer[helper->used] = '\0';
	return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

static const char *explain_end(struct helper *helper)
{
	memphis_fd_close(&helper->fd);
	snprintf(helper->why, sizeof(helper->why), "%s has ended", helper->program);
	return helper->why;
}

static const char *read_helper(struct helper *helper, struct memphis_counters_sink *sink)
{
	__u64 until = now_ns();
	struct pollfd wait = {.fd = memphis_fd_get(&helper->fd), .events = POLLIN};
	__u64 now;

	if (wait.fd < 0) {
		if (now_ns() - helper->started_ns < RESTART_NS || start_helper(helper))
			return explain_end(helper);
		wait.fd = memphis_fd_get(&helper->fd);
	}
	if (!helper->asked) {
		helper->used = 0;
		if (send(wait.fd, "\n", 1, MSG_NOSIGNAL | MSG_DONTWAIT) != 1)
			return explain_end(helper);
		helper->asked = true;
		helper->asked_ns = sink->asked_ns;
		until += PATIENCE_MS * 1000000;
	}
	while (!is_answer_complete(helper)) {
		now = now_ns();
		if (poll(&wait, 1, now < until ? (int)((until - now) / 1000000) + 1 : 0) <= 0)
			return memphis_counters_late;
		if (!receive_data(helper, wait.fd))
			return explain_end(helper);
	}
	helper->asked = false;
	sink->asked_ns = helper->asked_ns;
	return memphis_helper_parse(sink, helper->answer);
}

/*
 * Defines a source that reads a helper. A helper exits when its socket is closed. If a forked child closes
 * the socket, the parent keeps it open, so the helper continues to run.
 */
#define SOURCE(name, task)                                                                               \
	static struct helper name = {.program = task, .fd = {.fd = -1}};                                 \
	static const char *open_##name(UNUSED struct memphis_counters_sink *sink, const char *list)      \
	{                                                                                                \
		return open_helper(&name, list);                                                         \
	}                                                                                                \
	static const char *read_##name(struct memphis_counters_sink *sink)                               \
	{                                                                                                \
		return read_helper(&name, sink);                                                         \
	}                                                                                                \
	static void close_##name(void)                                                                   \
	{                                                                                                \
		memphis_fd_close(&name.fd);                                                              \
	}                                                                                                \
	const struct memphis_counters_source memphis_counters_##name = {#name, open_##name, read_##name, \
									close_##name};
SOURCE(pcp, MEMPHIS_PCP_NAME)
SOURCE(papi, MEMPHIS_PAPI_NAME)
