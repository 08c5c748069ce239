/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The drain, the thread that moves all captured data from memory to the files: when it runs, and how other
 * threads wait for it.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "counters/counters.h"
#include "backend/backend.h"
#include "record/allocations.h"
#include "record/drain.h"
#include "record/process_file.h"
#include "base/own_thread.h"
#include "core/session.h"

#define HOLDERS_FIRST_NS 1000000000u /* first search after this time; then the time doubles */
#define DEFER_MS         20          /* time given to a forked child to execute another program */
#define WAIT_FOR_MAX     1024        /* descriptors to poll; other threads wait for the next interval */
#define HOLDERS_COST     20          /* searches may take 1/20 of the time */

/* Protects the following variables. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t answered;
static unsigned int wanted; /* MEMPHIS_DRAIN_* requested, but not begun */
static __u64 asked, done;   /* number of the latest request, and of the latest request that is done */
static int gone;            /* the thread has ended */
static int parted;          /* memphis_drain_leave() has ended the thread, which is to be started again */
static int aside;           /* memphis_drain_leave() asks the thread to end */
static const struct memphis_drain_ops *ops;

/* Held during a pass, except in calls that may block forever in a file system. fork() waits for this lock. */
static pthread_mutex_t pass_lock = PTHREAD_MUTEX_INITIALIZER;

static struct memphis_fd bell[2] = {{.fd = -1},
				    {.fd = -1}}; /* a socket pair: a byte sent to it wakes the drain */
static _Atomic int tid;
/* The latest search for holders. Written by the drain; other threads may read slightly outdated values. */
static _Atomic __u64 searched_at_ns, search_cost_ns, searched_changes;
/* The latest check whether a search is worthwhile, made by a thread that closed the last caliper. */
static _Atomic __u64 looked_at_ns, look_cost_ns;

pid_t memphis_drain_tid(void)
{
	return atomic_load(&tid);
}

static int is_affordable(__u64 now, __u64 last_ns, __u64 cost_ns)
{
	return now - last_ns >= HOLDERS_COST * cost_ns;
}

int memphis_drain_has_news_of_blocks(void)
{
	return !searched_at_ns || memphis_allocations_block_changes() != searched_changes ||
	       memphis_allocations_are_waiting();
}

/* The check itself is limited like a search, since its cost grows with the number of threads. */
int memphis_drain_wants_holders(void)
{
	__u64 begin = now_ns();
	int news;

	if (!is_affordable(begin, searched_at_ns, search_cost_ns) ||
	    !is_affordable(begin, looked_at_ns, look_cost_ns))
		return 0;
	news = memphis_drain_has_news_of_blocks();
	looked_at_ns = now_ns();
	look_cost_ns = looked_at_ns - begin;
	return news;
}

/*
 * Search while the program runs, since blocks may be released long before a caliper ends. The intervals
 * double, which makes about a dozen searches per hour.
 */
static int is_time_for_holders(void)
{
	const __u64 first = memphis_session.active_first_ns, now = now_ns();

	return first && now - first > HOLDERS_FIRST_NS &&
	       (!searched_at_ns || now - first > 2 * (searched_at_ns - first)) &&
	       is_affordable(now, searched_at_ns, search_cost_ns) && memphis_drain_has_news_of_blocks();
}

static void search_holders(void)
{
	__u64 begin = now_ns();

	memphis_process_file_holders();
	searched_changes = memphis_allocations_block_changes();
	searched_at_ns = now_ns();
	search_cost_ns = searched_at_ns - begin;
}

static void begin_pass(void)
{
	pthread_mutex_lock(&pass_lock);
	memphis_file_yields = &pass_lock;
}

static void end_pass(void)
{
	memphis_file_yields = NULL;
	pthread_mutex_unlock(&pass_lock);
}

static void run_pass(unsigned int what)
{
	if (is_time_for_holders())
		what |= MEMPHIS_DRAIN_HOLDERS;
	begin_pass();
	ops->before_pass();
	memphis_output_pass(what);
	end_pass();
	/* Without the lock that fork() waits for, since a search may take long. */
	if (what & MEMPHIS_DRAIN_HOLDERS)
		search_holders();
	begin_pass();
	if (what & MEMPHIS_DRAIN_CLOSE)
		memphis_output_close();
	end_pass();
}

/* Waits until a ring fills, a request arrives, or the interval is over. */
static void wait_for_work(void)
{
	struct pollfd fds[WAIT_FOR_MAX] = {
		{.fd = memphis_fd_get(&bell[0]), .events = POLLIN},
	};
	unsigned int count = 1;
	struct rlimit limit;
	char bytes[64];

	count += memphis_backend->descriptors(fds + count, WAIT_FOR_MAX - count);
	/* poll(2) refuses to wait for more descriptors than the soft limit; numbers of the library may be above it. */
	if (!getrlimit(RLIMIT_NOFILE, &limit) && count > limit.rlim_cur)
		count = (unsigned int)limit.rlim_cur;
	/* Descriptors that the program has closed are -1 here, so that only the interval ends the wait. */
	if (poll(fds, count, MEMPHIS_DRAIN_INTERVAL_MS) > 0 && (fds[0].revents & POLLIN) &&
	    read(fds[0].fd, bytes, sizeof(bytes)) < 0)
		errno = 0;
}

static void deferred_until(struct timespec *until)
{
	clock_gettime(CLOCK_MONOTONIC, until);
	until->tv_nsec += DEFER_MS * 1000000;
	if (until->tv_nsec >= 1000000000) {
		until->tv_nsec -= 1000000000;
		until->tv_sec++;
	}
}

/* Creates deferred files. During an exec, waits for its outcome: a successful exec ends this thread. */
static int begin_output(void)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	int err;

	for (;;) {
		/* Under the lock, since no fork may happen while the loaded objects are being listed. */
		begin_pass();
		err = memphis_output_begin();
		end_pass();
		if (err != -EAGAIN)
			return err;
		nanosleep(&pause, NULL);
	}
}

/* Called when the files can't be created: stops sampling, and releases the threads that wait for the drain. */
static void *give_up(void)
{
	memphis_backend->request(MEMPHIS_IOC_STOP, NULL);
	pthread_mutex_lock(&lock);
	gone = 1;
	pthread_cond_broadcast(&answered);
	pthread_mutex_unlock(&lock);
	return NULL;
}

/* Exit status of the process if its last thread ended by the system call exit(2), else 0. */
static int status_left;

/*
 * Returns 1 if only the library's threads exist. A process whose threads end one by one ends with the last of
 * them, which then calls exit(3). Here, the last one is the drain, which the program is not aware of.
 */
static int is_left(void)
{
	const struct memphis_thread *thread = memphis_thread_first();
	const struct memphis_status *status;
	char text[1024], *name_end;
	struct stat st;
	ssize_t length;
	int fd;

	/* The main thread remains listed to the end. As long as it is known to run, no files need to be read. */
	while (thread && (thread->done || thread->tid != memphis_session.pid))
		thread = thread->next;
	status = thread ? thread->status : NULL;
	if (thread && !thread->ended && !(status && __atomic_load_n(&status->exited, __ATOMIC_ACQUIRE)))
		return 0;
	/*
	 * 2 links of the directory itself, plus the main thread, the drain, and the thread that reads
	 * counters.
	 */
	if (stat("/proc/self/task", &st) || st.st_nlink != 2u + 2 + !!memphis_counters_tid())
		return 0;
	fd = memphis_fd_open("/proc/self/stat", O_RDONLY);
	length = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	text[length > 0 ? length : 0] = '\0';
	name_end = strrchr(text, ')');
	if (!name_end || name_end[1] != ' ' || name_end[2] != 'Z')
		return 0;
	/*
	 * The last field is the exit status of the main thread in the format of wait(2); it is 0 after
	 * pthread_exit().
	 */
	thread = memphis_thread_first();
	if (thread && !thread->next)
		status_left = (int)(strtol(strrchr(text, ' '), NULL, 10) >> 8) & 0xff;
	return 1;
}

/* Returns 1 if memphis_drain_leave() asks the thread to end. Pending requests remain for the next thread. */
static int is_left_aside(void)
{
	int left;

	pthread_mutex_lock(&lock);
	left = gone = aside;
	pthread_mutex_unlock(&lock);
	return left;
}

static void *drain(void *unused)
{
	unsigned int what = 0;
	struct timespec until;
	int late = 0;
	__u64 upto;

	(void)unused;
	pthread_mutex_lock(&lock);
	atomic_store(&tid, sys_gettid());
	atomic_store(&memphis_events_drained, 1);
	pthread_cond_broadcast(&answered);
	deferred_until(&until);
	while (!wanted && !aside && !late)
		late = memphis_session.deferred ? pthread_cond_timedwait(&answered, &lock, &until)
						: pthread_cond_wait(&answered, &lock);
	what = wanted;
	pthread_mutex_unlock(&lock);
	if (is_left_aside())
		return NULL;
	if (!(what & MEMPHIS_DRAIN_ABANDON) && begin_output())
		return give_up();
	for (;;) {
		if (is_left_aside())
			return NULL;
		pthread_mutex_lock(&lock);
		what = wanted;
		wanted = 0;
		upto = asked;
		pthread_mutex_unlock(&lock);
		if (!what && is_left()) {
			ops->left();
			what = MEMPHIS_DRAIN_CLOSE | MEMPHIS_DRAIN_SETTINGS | MEMPHIS_DRAIN_HOLDERS;
		}
		if (!(what & MEMPHIS_DRAIN_ABANDON))
			run_pass(what);
		pthread_mutex_lock(&lock);
		done = upto;
		gone = what & (MEMPHIS_DRAIN_CLOSE | MEMPHIS_DRAIN_ABANDON);
		pthread_cond_broadcast(&answered);
		pthread_mutex_unlock(&lock);
		/*
		 * The exit status of a process is the status of its last thread (since Linux 6.0; of its main
		 * thread before).
		 */
		if (status_left)
			syscall(SYS_exit, status_left);
		if (what & (MEMPHIS_DRAIN_CLOSE | MEMPHIS_DRAIN_ABANDON))
			return NULL;
		wait_for_work();
	}
}

/* If the bell can't be created, requests wait for the next interval. */
static void make_bell(void)
{
	struct rlimit before;
	int ends[2], err;

	/* Sockets instead of a pipe, since sending to a closed socket with MSG_NOSIGNAL raises no signal. */
	memphis_fd_raise(&before);
	err = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends);
	memphis_fd_restore(&before);
	if (err)
		return;
	if (memphis_fd_take(&bell[0], ends[0]) || memphis_fd_take(&bell[1], ends[1]))
		errno = 0;
}

static void remove_bell(void)
{
	memphis_fd_close(&bell[0]);
	memphis_fd_close(&bell[1]);
}

static void init_condition(void)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&answered, &attr);
	pthread_condattr_destroy(&attr);
}

static int start_thread(void)
{
	static const struct memphis_own_thread thread = {MEMPHIS_DRAIN_NAME, drain};
	int err;

	err = memphis_own_thread_start(&thread);
	if (err)
		return err;
	/* The drain's tid must be known before the threads to attach are listed. */
	pthread_mutex_lock(&lock);
	while (!atomic_load(&tid))
		pthread_cond_wait(&answered, &lock);
	pthread_mutex_unlock(&lock);
	return 0;
}

int memphis_drain_start(const struct memphis_drain_ops *operations)
{
	int err;

	ops = operations;
	init_condition();
	wanted = 0;
	asked = done = 0;
	gone = parted = aside = 0;
	memphis_session.drain_missing = 0;
	searched_at_ns = search_cost_ns = searched_changes = 0;
	looked_at_ns = look_cost_ns = 0;
	atomic_store(&tid, 0);
	err = memphis_output_open();
	if (err)
		return err;
	make_bell();
	err = start_thread();
	/*
	 * EINVAL: children are created in another PID namespace, so the process may not have a second thread
	 * (Linux, copy_process()).
	 */
	memphis_session.drain_missing = err == -EINVAL;
	if (err && !memphis_session.drain_missing)
		remove_bell();
	return memphis_session.drain_missing ? 0 : err;
}

int memphis_drain_leave(unsigned int timeout_ms)
{
	const struct timespec moment = {.tv_nsec = 100000};
	const __u64 until = now_ns() + timeout_ms * 1000000ull;
	const pid_t thread = memphis_drain_tid();
	int fd, left;

	if (!thread)
		return 0;
	pthread_mutex_lock(&lock);
	/* A thread that has given up does not need to end. */
	aside = !gone;
	pthread_cond_broadcast(&answered);
	fd = memphis_fd_get(&bell[1]);
	if (fd >= 0 && send(fd, "", 1, MSG_NOSIGNAL) < 0)
		errno = 0;
	pthread_mutex_unlock(&lock);
	/* The process is single-threaded only when the drain's task has disappeared. */
	while (!sys_thread_is_gone(thread) && now_ns() < until)
		nanosleep(&moment, NULL);
	pthread_mutex_lock(&lock);
	left = gone;
	parted = left && aside;
	aside = 0;
	pthread_mutex_unlock(&lock);
	if (!left)
		return -ETIMEDOUT;
	atomic_store(&tid, 0);
	return 0;
}

int memphis_drain_return(void)
{
	int err = 0;

	if (!parted)
		return 0;
	pthread_mutex_lock(&lock);
	gone = parted = 0;
	if (!memphis_session.deferred)
		wanted |= MEMPHIS_DRAIN_NOW;
	pthread_mutex_unlock(&lock);
	err = start_thread();
	memphis_session.drain_missing = !!err;
	return err;
}

/* Held while a thread that makes a request does the work of the missing drain. */
static pthread_mutex_t work_lock = PTHREAD_MUTEX_INITIALIZER;

/* Does the work of the missing drain in the calling thread. Returns 0 or -ETIMEDOUT. */
static int work(unsigned int what)
{
	if (lock_for(&work_lock, 5))
		return -ETIMEDOUT;
	if (!gone && !(what & MEMPHIS_DRAIN_ABANDON)) {
		if (memphis_output_begin())
			give_up();
		else
			run_pass(what);
	}
	gone |= what & (MEMPHIS_DRAIN_CLOSE | MEMPHIS_DRAIN_ABANDON);
	pthread_mutex_unlock(&work_lock);
	return 0;
}

int memphis_drain_request(unsigned int what, unsigned int timeout_ms)
{
	struct timespec until;
	__u64 mine;
	int err = 0, fd;

	if (memphis_session.drain_missing)
		return timeout_ms ? work(what) : 0;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += timeout_ms / 1000;
	until.tv_nsec += (long)(timeout_ms % 1000) * 1000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	if (lock_for(&lock, 5))
		return -ETIMEDOUT;
	wanted |= what;
	mine = ++asked;
	pthread_cond_broadcast(
		&answered); /* the drain waits here for the first request, and in poll() for later ones */
	/*
	 * If the socket is full, the drain is about to wake up anyway; without a socket, it wakes up after
	 * the interval.
	 */
	fd = memphis_fd_get(&bell[1]);
	if (fd >= 0 && send(fd, "", 1, MSG_NOSIGNAL) < 0)
		errno = 0;
	while (timeout_ms && done < mine && !gone && !err)
		err = pthread_cond_timedwait(&answered, &lock, &until);
	pthread_mutex_unlock(&lock);
	return -err;
}

void memphis_drain_pause(void)
{
	pthread_mutex_lock(&pass_lock);
}

void memphis_drain_resume(void)
{
	pthread_mutex_unlock(&pass_lock);
}

void memphis_drain_forked(void)
{
	pthread_mutex_init(&lock, NULL);
	pthread_mutex_init(&pass_lock, NULL);
	pthread_mutex_init(&work_lock, NULL);
	atomic_store(&tid, 0);
	remove_bell();
	gone = 1;
	parted = aside = memphis_session.drain_missing = 0;
}
