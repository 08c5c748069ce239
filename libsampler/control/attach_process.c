/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Another process, sampled from outside while it runs: attached as the own threads are, by core/session.c and control/attach.c, and
 * drained by the caller of memphis_watch() itself. Nothing of it is known but what procfs tells.
 */
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "control/newcomers.h"
#include "control/session.h"
#include "counters/counters.h"
#include "backend/backend.h"
#include "record/drain.h"
#include "settings/env.h"
#include "record/output.h"
#include "base/proc.h"
#include "control/attach_process.h"

#define INTERVAL_MS  20 /* threads that the process makes are looked for as often */
#define WAIT_FOR_MAX 1024

/* A read of the environment tells whether the memory that it was opened for is still in use. */
static int reads_something(int memory)
{
	char byte;

	return pread(memory, &byte, 1, 0) == 1;
}

/*
 * Opened, the environment stands for the process's memory: for the device, and for whether it still is that memory.
 * Who may open it is by the same rule as perf's.
 */
static int open_memory(struct memphis_session *s)
{
	char path[MEMPHIS_PROC_PATH], text[64];
	int fd = open(memphis_proc(path, "environ"), O_RDONLY | O_CLOEXEC), err = errno;
	struct stat status;

	snprintf(text, sizeof(text), "process %d", (int)s->other);
	if (fd >= 0) {
		s->memory = fcntl(fd, F_DUPFD_CLOEXEC, 3); /* 0 would mean none */
		close(fd);
		return s->memory < 0 ? -1 : 0;
	}
	if (err == ENOENT || err == ESRCH || stat(memphis_proc(path, "."), &status))
		memphis_session_fail(text, ESRCH, "ps tells which processes there are");
	else if (status.st_uid != geteuid())
		memphis_session_fail(
			text, err,
			"it is another user's, or has other rights than its user: be that user, or "
			"root");
	else
		memphis_session_fail(
			text, err,
			"it does not let itself be looked at (prctl(2), PR_SET_DUMPABLE): be root");
	return -1;
}

/* By the name of its drain's thread: has the process a library of ours with a session of its own? */
static int samples_itself(void)
{
	char path[MEMPHIS_PROC_PATH];
	struct memphis_text name = {0};
	struct dirent *entry;
	int found = 0;
	DIR *tasks = opendir(memphis_proc(path, "task"));

	while (tasks && !found && (entry = readdir(tasks)))
		found = entry->d_name[0] != '.' &&
			!memphis_text_read(&name, memphis_proc(path, "task/%.16s/comm", entry->d_name)) &&
			name.used && !strcmp(name.data, MEMPHIS_DRAIN_NAME "\n");
	if (tasks)
		closedir(tasks);
	memphis_text_free(&name);
	return found;
}

static int fail_as_sampled(const struct memphis_session *s)
{
	char text[64];

	snprintf(text, sizeof(text), "process %d", (int)s->other);
	memphis_session_fail(
		text, 0,
		"it is sampled already, by itself (memphis record, calipers) or by another memphis "
		"record -p: its own files have all of it");
	return -1;
}

/* perf needs a descriptor for each thread. */
static void allow_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* All is there, but no thread could be attached: 0, or why. */
static int why_no_thread(const struct memphis_session *s)
{
	const struct memphis_thread *thread;
	int err = -ESRCH;

	for (thread = memphis_thread_first(); thread; thread = thread->next) {
		if (thread->attach_error == -EEXIST)
			return -EEXIST;
		if (thread->attach_error)
			err = thread->attach_error;
	}
	return s->threads_attached ? 0 : err;
}

/* Of threads, too, that came and went unseen. Where the process is gone, what was told last stands. */
static void take_cpu_time(struct memphis_session *s)
{
	static __u64 before;
	struct timespec time;
	clockid_t clock;

	if (clock_getcpuclockid(s->other, &clock) || clock_gettime(clock, &time))
		return;
	if (!before)
		before = (__u64)time.tv_sec * 1000000000 + (__u64)time.tv_nsec;
	s->cpu_ns = (__u64)time.tv_sec * 1000000000 + (__u64)time.tv_nsec - before;
}

static int begin(struct memphis_session *s)
{
	int err;

	allow_descriptors();
	if (open_memory(s))
		return -1;
	if (samples_itself())
		return fail_as_sampled(s);
	if (memphis_session_open(s))
		return -1;
	err = memphis_output_open();
	if (err) {
		memphis_session_fail("memory for the file writer", -err, "free some");
		goto fail;
	}
	take_cpu_time(s);
	memphis_counters_start(s);
	err = memphis_session_switch_on(s);
	if (err) {
		memphis_session_fail("start of sampling", -err, memphis_backend_remedy(-err));
		goto fail;
	}
	err = why_no_thread(s);
	if (err == -EEXIST) {
		fail_as_sampled(s);
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

/* The memory is gone. Has the process another one, because it executes another program, or none, because it ends? */
static int has_executed(void)
{
	char path[MEMPHIS_PROC_PATH];
	struct memphis_text pages = {0};
	int executed = !memphis_text_read(&pages, memphis_proc(path, "statm")) && pages.used &&
		       strtoul(pages.data, NULL, 10) > 0;

	memphis_text_free(&pages);
	return executed;
}

static int wait_and_drain(struct memphis_session *s, int stop, int process)
{
	struct pollfd fds[WAIT_FOR_MAX] = {{.fd = stop, .events = POLLIN}, {.fd = process, .events = POLLIN}};
	int had_memory = reads_something(s->memory);
	unsigned int count;

	for (;;) {
		count = 2 + memphis_backend->descriptors(fds + 2, WAIT_FOR_MAX - 2);
		poll(fds, count, INTERVAL_MS);
		take_cpu_time(s);
		if (fds[1].revents)
			return MEMPHIS_WATCHED_ENDED;
		if (fds[0].revents)
			return MEMPHIS_WATCHED_STOPPED;
		if (had_memory && !reads_something(s->memory) && has_executed())
			return MEMPHIS_WATCHED_EXECUTED;
		memphis_newcomers_pass();
		memphis_output_pass(0);
	}
}

static void finish(struct memphis_session *s)
{
	struct pollfd device;

	memphis_session_stop(1);
	memphis_counters_read(true, MEMPHIS_COUNTER_LAST_MS);
	poll(&device, memphis_backend->descriptors(&device, 1),
	     0); /* the device notes which threads have ended */
	memphis_output_pass(MEMPHIS_DRAIN_CLOSE | MEMPHIS_DRAIN_SETTINGS);
	memphis_output_close();
	atomic_store(&s->state, MEMPHIS_SESSION_CLOSED);
}

__attribute__((visibility("default"))) int memphis_watch(pid_t pid, int stop, void (*begun)(unsigned int))
{
	struct memphis_session *s = &memphis_session;
	int process, how;

	/* The tool sets variables of the environment after it has loaded the library. */
	memphis_env_load();
	s->other = pid;
	memphis_proc_set(pid);
	memphis_env_pid = pid;
	/* Before all else: from here on the number is this process's, or it is seen to have ended. */
	process = (int)syscall(SYS_pidfd_open, pid, 0);
	if (begin(s))
		return MEMPHIS_WATCHED_FAILED;
	if (begun)
		begun(s->threads_attached);
	how = wait_and_drain(s, stop, process);
	finish(s);
	return how;
}

__attribute__((visibility("default"))) const char *memphis_refuses(const char *variable, const char *value)
{
	return memphis_env_refuses(variable, value);
}

__attribute__((visibility("default"))) int memphis_probe(void)
{
	int err;

	memphis_env_load();
	err = memphis_session_open_backend(&memphis_session);
	memphis_session_close_backend(&memphis_session);
	return err;
}
