/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sampling of another process that is already running. Its threads are attached in the same way as those of
 * the calling process. There is no drain: the caller of memphis_watch() makes the passes. All information
 * about the process comes from procfs.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/text.h"
#include "base/fd.h"
#include "control/attach.h"
#include "control/session.h"
#include "counters/reader.h"
#include "backend/backend.h"
#include "record/drain.h"
#include "settings/env.h"
#include "record/output.h"
#include "base/proc.h"
#include "control/attach_process.h"

#define INTERVAL_MS  20 /* interval of passes and of searches for new threads */
#define WAIT_FOR_MAX 1024

/*
 * Returns 1 if the address space for which `memory` (/proc/PID/environ) was opened still exists. The file can
 * be read only as long as it does.
 */
static int has_memory(int memory)
{
	char byte;

	return pread(memory, &byte, 1, 0) == 1;
}

/* Opens a file of the process for reading. Returns its descriptor, never 0, or -1. */
static int open_file(const char *name)
{
	char path[MEMPHIS_PROC_PATH];
	int fd = open(memphis_proc(path, "%s", name), O_RDONLY | O_CLOEXEC), moved;

	if (fd < 0)
		return -1;
	moved = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	close(fd);
	return moved;
}

/*
 * Opens the contents of the process's memory. The device copies stacks only for users who may read this
 * memory. The copies are needed to find the callers of functions in libraries. Security modules may forbid a
 * user to read the memory of a process that the user may sample, for example Yama if kernel.yama.ptrace_scope
 * is 1 or more.
 */
static void open_contents(struct memphis_session *s)
{
	const int fd = open_file("mem");

	s->identity.contents = fd < 0 ? 0 : fd;
	if (!s->identity.contents && memphis_settings.callers == MEMPHIS_AUTO)
		memphis_settings.callers = 0;
}

/*
 * Opens /proc/PID/environ as a handle of the process's memory. The device needs such a handle. Reading it
 * shows whether the process still has that memory. Opening it makes the same permission check as perf.
 */
static int open_memory(struct memphis_session *s)
{
	char path[MEMPHIS_PROC_PATH], text[64];
	int fd = open_file("environ"), err = errno;
	struct stat status;

	snprintf(text, sizeof(text), "process %d", (int)s->identity.other);
	if (fd >= 0) {
		s->identity.memory = fd;
		open_contents(s);
		return 0;
	}
	if (err == ENOENT || err == ESRCH || stat(memphis_proc(path, "."), &status))
		memphis_session_fail(text, ESRCH, "ps -e lists all processes");
	else if (status.st_uid != geteuid())
		memphis_session_fail(
			text, err,
			"it is another user's, or has other rights than its user: be that user, or root");
	else
		memphis_session_fail(
			text, err,
			"it does not let itself be looked at (prctl(2), PR_SET_DUMPABLE): be root");
	return -1;
}

/* Returns true if one of the listed children is a drain. `children`: PIDs, separated by blanks. */
static bool lists_drain(char *children)
{
	struct memphis_text_buffer name = {0};
	char path[MEMPHIS_PROC_PATH], *rest = NULL, *child;
	bool found = false;

	for (child = strtok_r(children, " ", &rest); child && !found; child = strtok_r(NULL, " ", &rest)) {
		snprintf(path, sizeof(path), "/proc/%.16s/comm", child);
		found = !memphis_text_read(&name, path) && name.used &&
			!strcmp(name.data, MEMPHIS_DRAIN_NAME "\n");
	}
	memphis_text_free(&name);
	return found;
}

/* Returns true if the process has its own session. Such a process has a child with the name of the drain. */
static bool samples_itself(void)
{
	struct memphis_text_buffer children = {0};
	struct memphis_directory tasks;
	char path[MEMPHIS_PROC_PATH];
	const char *task;
	bool found = false;

	memphis_directory_open(&tasks, memphis_proc(path, "task"));
	while (!found && (task = memphis_directory_next(&tasks)))
		found = !memphis_text_read(&children, memphis_proc(path, "task/%.16s/children", task)) &&
			children.used && lists_drain(children.data);
	memphis_directory_close(&tasks);
	memphis_text_free(&children);
	return found;
}

static int refuse_sampled(const struct memphis_session *s)
{
	char text[64];

	snprintf(text, sizeof(text), "process %d", (int)s->identity.other);
	memphis_session_fail(
		text, 0,
		"it is sampled already, by itself (memphis record, calipers) or by another memphis record -p: its own files have all of it");
	return -1;
}

/* Raises the limit of descriptors, because perf needs one descriptor for each thread. */
static void allow_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* Returns 0 if any thread is attached, otherwise an -errno that explains why no thread could be attached. */
static int attach_error(const struct memphis_session *s)
{
	const struct memphis_thread_record *thread;
	int err = -ESRCH;

	for (thread = memphis_thread_first(); thread; thread = thread->next) {
		if (thread->attach_error == -EEXIST)
			return -EEXIST;
		if (thread->attach_error)
			err = thread->attach_error;
	}
	return s->threads_attached ? 0 : err;
}

/*
 * Updates the CPU time of the process, which includes threads that the library never saw. If the process has
 * ended, keeps the last value.
 */
static void update_cpu_time(struct memphis_session *s)
{
	static __u64 before;
	struct timespec time;
	clockid_t clock;

	if (clock_getcpuclockid(s->identity.other, &clock) || clock_gettime(clock, &time))
		return;
	if (!before)
		before = (__u64)time.tv_sec * 1000000000 + (__u64)time.tv_nsec;
	s->activity.cpu_ns = (__u64)time.tv_sec * 1000000000 + (__u64)time.tv_nsec - before;
}

static int begin_attachment(struct memphis_session *s)
{
	int err;

	allow_descriptors();
	if (open_memory(s))
		return -1;
	if (samples_itself())
		return refuse_sampled(s);
	if (memphis_session_open(s))
		return -1;
	err = memphis_output_open();
	if (err) {
		memphis_session_fail("memory for the file writer", -err, "free some");
		goto fail;
	}
	update_cpu_time(s);
	memphis_counters_start(s);
	err = memphis_session_switch_on(s);
	if (err) {
		memphis_session_fail("start of sampling", -err, memphis_backend_remedy(-err));
		goto fail;
	}
	err = attach_error(s);
	if (err == -EEXIST) {
		refuse_sampled(s);
		goto fail;
	}
	if (err) {
		memphis_session_fail("attach to the process", -err,
				     err == -ESRCH ? "it has ended" : memphis_backend_remedy(-err));
		goto fail;
	}
	atomic_store(&s->state, MEMPHIS_SESSION_READY);
	return 0;
fail:
	memphis_session_abandon(s);
	return -1;
}

/*
 * Called when the process no longer has its previous memory. Returns 1 if it has new memory, because it has
 * executed another program. Returns 0 if it has none, because it is ending.
 */
static int has_executed(void)
{
	char path[MEMPHIS_PROC_PATH];
	struct memphis_text_buffer pages = {0};
	int executed = !memphis_text_read(&pages, memphis_proc(path, "statm")) && pages.used &&
		       strtoul(pages.data, NULL, 10) > 0;

	memphis_text_free(&pages);
	return executed;
}

static int wait_and_drain(struct memphis_session *s, int stop, int process)
{
	struct pollfd fds[WAIT_FOR_MAX] = {{.fd = stop, .events = POLLIN}, {.fd = process, .events = POLLIN}};
	int had_memory = has_memory(s->identity.memory);
	unsigned int count;

	for (;;) {
		count = 2 + memphis_backend->descriptors(fds + 2, WAIT_FOR_MAX - 2);
		poll(fds, count, INTERVAL_MS);
		update_cpu_time(s);
		if (fds[1].revents)
			return MEMPHIS_WATCHED_ENDED;
		if (fds[0].revents)
			return MEMPHIS_WATCHED_STOPPED;
		if (had_memory && !has_memory(s->identity.memory) && has_executed())
			return MEMPHIS_WATCHED_EXECUTED;
		memphis_newcomers_pass();
		memphis_output_pass(0);
	}
}

static void finish_attachment(struct memphis_session *s)
{
	struct pollfd device;

	memphis_session_stop(1);
	memphis_counters_read(true, MEMPHIS_COUNTER_LAST_MS);
	poll(&device, memphis_backend->descriptors(&device, 1),
	     0); /* makes the device detect ended threads */
	memphis_output_pass(MEMPHIS_DRAIN_CLOSE | MEMPHIS_DRAIN_SETTINGS);
	memphis_output_close();
	atomic_store(&s->state, MEMPHIS_SESSION_CLOSED);
}

PUBLIC int memphis_watch(pid_t pid, int stop, void (*begun)(unsigned int))
{
	struct memphis_session *s = &memphis_session;
	int process, how;

	/* Load the environment again, because the tool sets variables after it has loaded the library. */
	memphis_env_load();
	s->identity.other = pid;
	memphis_proc_set(pid);
	memphis_env_pid = pid;
	/*
	 * Open the pidfd first. From here on, either the PID belongs to this process, or the pidfd shows that
	 * the process has ended.
	 */
	process = (int)syscall(SYS_pidfd_open, pid, 0);
	if (begin_attachment(s))
		return MEMPHIS_WATCHED_FAILED;
	if (begun)
		begun(s->threads_attached);
	how = wait_and_drain(s, stop, process);
	finish_attachment(s);
	return how;
}

PUBLIC const char *memphis_refuses(const char *variable, const char *value)
{
	return memphis_env_refuses(variable, value);
}

PUBLIC int memphis_probe(void)
{
	int err;

	memphis_env_load();
	err = memphis_session_open_backend(&memphis_session);
	memphis_session_close_backend(&memphis_session);
	return err;
}

PUBLIC int memphis_offer(struct memphis_query *query, const char **backend, char *reason, size_t bytes)
{
	struct memphis_refusal refusal;
	int err;

	memphis_env_load();
	err = memphis_backend_query(query, &refusal);
	*backend = memphis_backend->name;
	memphis_backend->close();
	if (!err)
		return 0;
	snprintf(reason, bytes, "%s%s%s; %s", refusal.where, refusal.err ? ": " : "",
		 refusal.err ? memphis_error_text(refusal.err) : "", refusal.remedy);
	return refusal.err ? -refusal.err : err;
}
