/* SPDX-License-Identifier: BSD-3-Clause */
/* Attachment of threads: by tid, or by the threads themselves when they start. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/companion.h"
#include "base/proc.h"
#include "control/attach.h"
#include "core/session.h"
#include "core/stamp.h"
#include "counters/reader.h"
#include "backend/backend.h"
#include "record/drain.h"
#include "core/attachment.h"
#include "base/say.h"
#include "base/text.h"

/*
 * Number of passes of the drain that free the memory of an ended thread. The first pass detects that the
 * thread has ended, and the second one that its task has disappeared.
 */
#define RECLAIM_TRIES  2
#define RECLAIM_MS     20000 /* the drain may have hundreds of files to write */
#define ENDED_PER_PASS 256   /* a record and a ring use some 20 KB */

/* Returns 1 if the backend has no room for another thread or for its ring. */
static int lacks_room(int err)
{
	return err == -EDQUOT || err == -ENOSPC;
}

/* Prints one line about the first thread that could not be attached although other threads could. */
static void report_unsampled(struct memphis_session *s, const struct memphis_thread_record *thread)
{
	if (thread->attachment != MEMPHIS_ATTACH_FAILED || s->unsampled_reported)
		return;
	if (s->identity.other && thread->attach_error == -EEXIST)
		return; /* all threads have this error, and memphis_watch() reports it for the whole
			 * process */
	s->unsampled_reported = 1;
	memphis_say("memphis: thread %d is not sampled: %s; %s\n", (int)thread->tid,
		    memphis_error_text(-thread->attach_error), memphis_backend_remedy(-thread->attach_error));
}

/* Lets the thread attach itself later. */
static void defer_attach(struct memphis_session *s, struct memphis_thread_record *thread)
{
	thread->attachment = MEMPHIS_ATTACH_WAITS;
	thread->attach_error = 0;
	atomic_fetch_sub(&s->threads_unsampled, 1);
}

void memphis_attach_new(pid_t tid)
{
	struct memphis_thread_record *thread;

	if (tid <= 0)
		return;
	thread = memphis_thread_find(tid);
	if (!thread || thread->attachment != MEMPHIS_UNATTACHED || !memphis_attach(thread))
		return;
	/*
	 * If a process has changed its user, other processes may not access it (prctl(2), PR_SET_DUMPABLE).
	 * The drain counts as another process. The thread itself tries again when it starts or opens a
	 * caliper. It also tries again if the program has closed the device.
	 */
	if ((thread->attach_error == -EACCES || thread->attach_error == -EBADF) &&
	    memphis_companion_is_self())
		defer_attach(&memphis_session, thread);
	else
		report_unsampled(&memphis_session, thread);
}

int memphis_attach_wanted(void)
{
	return atomic_load(&memphis_session.attaching);
}

/*
 * Tries to attach the calling thread. Returns 1 if the backend has no room at the moment, so the caller
 * should try again. With `last`, always returns 0.
 */
static int attach_once(struct memphis_session *s, struct memphis_thread_record *self, int last)
{
	const __u64 signals = sys_no_signals(); /* handlers may leave by longjmp(3) */
	int again = 0;

	memphis_lock_take(&s->lock);
	if (s->state == MEMPHIS_SESSION_READY && self->attachment <= MEMPHIS_ATTACH_WAITS &&
	    s->identity.pid == getpid() && memphis_attach(self)) {
		again = lacks_room(self->attach_error) && !last;
		if (again) {
			defer_attach(s, self);
		} else {
			report_unsampled(s, self);
		}
	}
	memphis_lock_release(&s->lock);
	sys_signals(signals);
	return again;
}

/*
 * Attaches the calling thread. If ended threads occupy the backend's room, requests the passes of the drain
 * that free this room, and tries again.
 */
void memphis_attach_self(void)
{
	struct memphis_session *s = &memphis_session;
	struct memphis_thread_record *self = memphis_self;
	int cancel, tries = 0;

	if (!self || !atomic_load(&s->attaching))
		return;
	cancel = memphis_enter();
	while (attach_once(s, self, tries == RECLAIM_TRIES)) {
		tries++;
		/* If the drain does not answer, the next attempt is the last one, and it reports a failure. */
		if (memphis_drain_request(MEMPHIS_DRAIN_NOW, RECLAIM_MS))
			tries = RECLAIM_TRIES;
	}
	memphis_leave(cancel);
}

int memphis_attach_retire(struct memphis_thread_record *thread)
{
	struct memphis_session *s = &memphis_session;
	int known;

	if (!memphis_lock_try(&s->lock))
		return -EBUSY;
	known = s->state != MEMPHIS_SESSION_FRESH;
	if (!known)
		memphis_thread_retire(thread);
	memphis_lock_release(&s->lock);
	return known ? -EBUSY : 0;
}

void memphis_attach_ended(void)
{
	static _Atomic unsigned int ended;

	if (atomic_fetch_add_explicit(&ended, 1, memory_order_relaxed) % ENDED_PER_PASS ==
		    ENDED_PER_PASS - 1 &&
	    memphis_session.state == MEMPHIS_SESSION_READY)
		memphis_drain_request(MEMPHIS_DRAIN_NOW, 0);
}

#define SETTLE_NS 20000000u
/*
 * Interval for reading the list of threads. Reading the list also finds tids that were chosen explicitly
 * (clone3), and tids that were missed because the numbers wrapped around completely.
 */
#define REREAD_NS 10000000000u
#define BLIND_NS  400000000u /* interval for reading the list if the last tid is unknown */
/* minimum number of tids that may be probed, even if the process has few threads */
#define PROBES 64

static MEMPHIS_AT_FORK struct {
	struct memphis_fd tasks, last_tid;
	__u64 links;   /* link count of the directory of threads: 2 plus the number of threads */
	pid_t settled; /* tids up to this one need no more probing; 0: nothing is known */
	pid_t last;    /* last tid assigned, as of the latest call */
	pid_t read;    /* last tid assigned at time read_ns; becomes `settled` SETTLE_NS later */
	__u64 read_ns;
	__u64 reread_due_ns; /* time at which the list must be read again */
} known = {.tasks = {.fd = -1}, .last_tid = {.fd = -1}};

/* Returns the last tid assigned in the PID namespace, or -1. */
static pid_t read_last_tid(void)
{
	int fd = memphis_fd_keep(&known.last_tid, "/proc/sys/kernel/ns_last_pid", O_RDONLY);
	char text[16];
	ssize_t length = fd < 0 ? -1 : pread(fd, text, sizeof(text) - 1, 0);

	if (length <= 0)
		return -1;
	text[length] = '\0';
	return (pid_t)strtol(text, NULL, 10);
}

/* Returns the link count of the directory of threads (2 + number of threads), or 0 if it can't be read. */
static __u64 count_links(void)
{
	char path[MEMPHIS_PROC_PATH];
	struct stat st;

	if (memphis_fd_stat(&known.tasks, &st) < 0 &&
	    (memphis_fd_keep(&known.tasks, memphis_proc(path, "task"), O_RDONLY | O_DIRECTORY) < 0 ||
	     memphis_fd_stat(&known.tasks, &st) < 0))
		return 0;
	return st.st_nlink;
}

/*
 * Attaches all threads in the list. Returns their number. The number is too small if threads end during the
 * call, because the kernel then skips entries.
 */
static __u64 read_list(void)
{
	/*
	 * Static, because the calling thread's stack may be too small. Only one thread at a time comes here: the
	 * caller holds the session's lock.
	 */
	static char entries[4096] __attribute__((aligned(8)));
	const struct dirent64 *entry;
	ssize_t bytes, at;
	__u64 count = 0;
	pid_t tid;

	/* Do not use opendir(), which opens a new descriptor each time and fails at the soft limit. */
	if (known.tasks.fd < 0 || lseek(known.tasks.fd, 0, SEEK_SET))
		return 0;
	while ((bytes = getdents64(known.tasks.fd, entries, sizeof(entries))) > 0)
		for (at = 0; at < bytes; at += entry->d_reclen) {
			entry = (const void *)&entries[at];
			tid = atoi(entry->d_name);
			if (tid > 0) {
				count++;
				memphis_attach_new(tid);
			}
		}
	return count;
}

/*
 * Reads the list of threads. The list is complete if no thread was created or ended during the call.
 * Otherwise, schedules another reading soon.
 */
static void reread_list(__u64 now, pid_t last, __u64 links, __u64 next_ns)
{
	__u64 count = read_list();

	if (count + 2 != links || count_links() != links || read_last_tid() != last)
		next_ns = SETTLE_NS;
	known.reread_due_ns = now + next_ns;
}

static void attach_tids(pid_t from, pid_t to)
{
	pid_t tid;

	for (tid = from; tid <= to; tid++)
		if (!syscall(SYS_tgkill, memphis_session.identity.pid, tid, 0))
			memphis_attach_new(tid);
}

/* Reads the list when it is due. Used if the last tid is unknown or belongs to another PID namespace. */
static void find_newcomers_by_list(__u64 now, __u64 links, bool all)
{
	if (!all && links == known.links && now < known.reread_due_ns)
		return;
	read_list();
	known.reread_due_ns = now + BLIND_NS;
}

static void find_newcomers(__u64 now, pid_t last, __u64 links)
{
	if (!known.settled || last < known.settled || (__u64)(last - known.settled) > PROBES + links) {
		known.settled = known.read = last;
		known.read_ns = now;
		reread_list(now, last, links, SETTLE_NS);
	} else {
		attach_tids(known.settled + 1, last);
		if (now >= known.reread_due_ns || (last == known.last && links > known.links))
			reread_list(now, last, links, REREAD_NS);
	}
	if (now - known.read_ns >= SETTLE_NS) {
		known.settled = known.read;
		known.read = last;
		known.read_ns = now;
	}
	known.last = last;
}

void memphis_newcomers_attach(bool all)
{
	int saved = errno;
	__u64 now = now_ns(), links;
	pid_t last;

	memphis_busy++;
	/*
	 * The order matters: if a thread is created between the two calls, it is missing from the count, but
	 * its tid is probed.
	 */
	links = count_links();
	last = memphis_session.identity.other ? -1 : read_last_tid();
	if (last > 0)
		find_newcomers(now, last, links);
	else
		find_newcomers_by_list(now, links, all);
	known.links = links;
	/* Close the files here. The drain opens them again in its own descriptor table. */
	if (!memphis_session.identity.other && !memphis_companion_is_self() &&
	    !memphis_backend->shares_descriptors) {
		memphis_fd_close(&known.tasks);
		memphis_fd_close(&known.last_tid);
	}
	memphis_busy--;
	errno = saved;
}

void memphis_newcomers_pass(void)
{
	struct memphis_session *s = &memphis_session;

	/* Do not wait for the lock, because its holder may be waiting for the drain. */
	if (!atomic_load(&memphis_hot.sampling) || !memphis_lock_try(&s->lock))
		return;
	if (atomic_load(&memphis_hot.sampling)) {
		memphis_newcomers_attach(false);
		memphis_stamp_refresh();
	}
	memphis_lock_release(&s->lock);
}

void memphis_newcomers_forget(void)
{
	memphis_fd_close(&known.tasks);
	memphis_fd_close(&known.last_tid);
	known.settled = 0;
	known.links = known.reread_due_ns = 0;
}
