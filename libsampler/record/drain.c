/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The drain is the companion that moves all captured data from memory to the files. This file decides when it
 * runs, and makes the program's threads wait for it.
 */
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/proc.h"
#include "backend/backend.h"
#include "base/companion.h"
#include "base/lock.h"
#include "base/say.h"
#include "core/session.h"
#include "counters/reader.h"
#include "record/allocations.h"
#include "record/drain.h"
#include "record/output_paths.h"
#include "record/process_file.h"
#include "settings/env.h"

#define HOLDERS_FIRST_NS 1000000000u /* time before the first search; the time doubles with each search */
#define HOLDERS_BLOCKS   64 /* blocks that cause an earlier search; the number doubles with each search */
#define HOLDERS_COST     20 /* searches may take 1/20 of the time */
#define DEFER_NS         20000000u /* age from which a process is sampled without a request */
#define LOOK_NS          4000000u  /* until that age: interval of checks whether the process still exists */
#define WAIT_FOR_MAX     1024 /* descriptors to poll; threads beyond this number wait for the next interval */
#define ANSWER_NS        50000000u /* interval at which a waiting thread checks whether the drain still exists */
#define BEGIN_TRIES      5         /* attempts to open a session while the program closes its descriptors */
#define END_NS           1000000000u /* time to wait for a task that is about to end */
#define REVIVALS_MAX     3           /* times that a killed drain is started again */

static void run_drain(void);

static MEMPHIS_AT_FORK struct memphis_companion companion = {.name = MEMPHIS_DRAIN_NAME, .run = run_drain};
static MEMPHIS_AT_FORK const struct memphis_drain_ops *ops;
static MEMPHIS_AT_FORK _Atomic __u32 wanted; /* MEMPHIS_DRAIN_* requested, but not begun */
/*
 * Number of the latest request, and of the latest finished request. Both are futexes: the drain waits for a
 * change of `asked`, and requesting threads wait for a change of `done`.
 */
static MEMPHIS_AT_FORK _Atomic __u32 asked, done;
/*
 * State of the drain, in one word:
 *
 *	none --- defer ---> deferred --- old enough, or any request ---> serves
 *	none --- start ---> serves
 *	serves --- request to close, or program ended ---> none
 *	deferred, serves --- memphis_drain_leave() ---> leaves --- its task ends ---> away
 *	away --- memphis_drain_return() ---> deferred, serves
 *
 * The drain can change from each state to `none`: it is dismissed or abandoned, or was killed during a pass.
 * It leaves `none` only when it is started again, for a process or a session. change_life() makes all other
 * changes. Each change requires a certain state before it, so if two threads (or a thread and the drain)
 * attempt a change at the same time, one of them fails and does nothing. Only a thread that holds work_lock
 * starts the task.
 */
enum life {
	NONE, /* not started, or ended permanently; also in a forked child until the drain is started there */
	DEFERRED, /* started before the session */
	SERVES,
	LEAVES, /* asked to end its task */
	AWAY,   /* has no task until memphis_drain_return() */
	MISSING /* no companion can be made: the program's threads make the passes */
};
static MEMPHIS_AT_FORK _Atomic __u32 life;
static MEMPHIS_AT_FORK _Atomic int at_work; /* a pass is in progress */
static _Atomic int shared;                  /* the drain uses the program's table of descriptors */
static MEMPHIS_AT_FORK int revivals;

/*
 * Held during a pass, except in system calls that may block in a file system for an unlimited time. fork()
 * waits for this lock.
 */
static MEMPHIS_AT_FORK struct memphis_lock pass_lock;
/* Held while a thread of the program starts the drain's task, or makes a pass itself because there is no drain. */
static MEMPHIS_AT_FORK struct memphis_lock work_lock;

/* A socket pair. A byte sent to the second socket wakes the drain, which polls the first one. */
static MEMPHIS_AT_FORK struct memphis_fd bell[2] = {{.fd = -1}, {.fd = -1}};
static MEMPHIS_AT_FORK bool has_bell;
static MEMPHIS_AT_FORK int program_fd = -1; /* pidfd of the program, in the drain's own descriptor table */
/* The latest search for holders. Written by the drain; other threads may read slightly outdated values. */
static MEMPHIS_AT_FORK _Atomic __u64 searched_at_ns, search_cost_ns, searched_changes;
/* The latest check whether a search is worthwhile. A thread makes this check when it closes its last caliper. */
static MEMPHIS_AT_FORK _Atomic __u64 looked_at_ns, look_cost_ns;

/* Changes the state. Returns false and changes nothing if the state is not `from`. */
static bool change_life(__u32 from, __u32 to)
{
	return atomic_compare_exchange_strong(&life, &from, to);
}

static int is_affordable(__u64 now, __u64 last_ns, __u64 cost_ns)
{
	return now - last_ns >= HOLDERS_COST * cost_ns;
}

int memphis_drain_has_new_blocks(void)
{
	return memphis_allocations_block_changes() != searched_changes;
}

int memphis_drain_has_news_of_blocks(void)
{
	return memphis_drain_has_new_blocks() || memphis_allocations_are_waiting();
}

/* Limits its own cost in the same way as the cost of a search, because the cost of the check grows with the number of threads. */
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
 * Returns 1 if a search is due while the program runs. Blocks and the pointers to them may be gone long
 * before a caliper ends, so the search can't wait for that end. The interval between searches doubles, which
 * makes about a dozen searches in the first hour. The number of blocks that causes an earlier search doubles,
 * too.
 */
static int is_time_for_holders(void)
{
	const __u64 first = memphis_session.activity.first_ns, now = now_ns();
	const __u64 blocks = memphis_allocations_block_changes();

	if (!first || !is_affordable(now, searched_at_ns, search_cost_ns))
		return 0;
	if (blocks >= 2 * searched_changes + HOLDERS_BLOCKS)
		return 1;
	return now - first > HOLDERS_FIRST_NS &&
	       (!searched_at_ns || now - first > 2 * (searched_at_ns - first)) &&
	       memphis_drain_has_news_of_blocks();
}

static void search_holders(void)
{
	__u64 begin = now_ns();

	memphis_process_file_search_holders();
	searched_changes = memphis_allocations_block_changes();
	searched_at_ns = now_ns();
	search_cost_ns = searched_at_ns - begin;
}

static void begin_pass(void)
{
	memphis_lock_take(&pass_lock);
	atomic_store(&at_work, 1);
	memphis_session.output.stage.lock = &pass_lock;
}

static void end_pass(void)
{
	memphis_session.output.stage.lock = NULL;
	atomic_store(&at_work, 0);
	memphis_lock_release(&pass_lock);
}

static void run_pass(unsigned int what)
{
	if (is_time_for_holders())
		what |= MEMPHIS_DRAIN_HOLDERS;
	begin_pass();
	ops->before_pass();
	memphis_output_pass(what);
	end_pass();
	/* Search without the lock, because fork() waits for the lock and a search may take long. */
	if (what & MEMPHIS_DRAIN_HOLDERS)
		search_holders();
	if (what & MEMPHIS_DRAIN_CLOSE) {
		begin_pass();
		memphis_output_close();
		end_pass();
	}
}

/* Waits until a ring fills, a request arrives, the program ends, or the interval is over. */
static void wait_for_work(__u32 upto)
{
	struct pollfd fds[WAIT_FOR_MAX] = {
		{.fd = memphis_fd_get(&bell[0]), .events = POLLIN},
		{.fd = program_fd, .events = POLLIN},
	};
	unsigned int count = 2;
	struct rlimit limit;
	char bytes[64];

	if (!has_bell && !shared) {
		/* No ring fills. */
		sys_wait(&asked, upto, now_ns() + MEMPHIS_DRAIN_INTERVAL_MS * 1000000ull);
		return;
	}
	count += memphis_backend->descriptors(fds + count, WAIT_FOR_MAX - count);
	/*
	 * poll(2) fails if it gets more descriptors than the soft limit. The library's descriptor numbers may
	 * be above that limit, so their count can exceed it.
	 */
	if (!getrlimit(RLIMIT_NOFILE, &limit) && count > limit.rlim_cur)
		count = (unsigned int)limit.rlim_cur;
	/* A descriptor that the program has closed is -1 here, and poll() ignores it. Then only the interval ends the wait. */
	if (poll(fds, count, MEMPHIS_DRAIN_INTERVAL_MS) > 0 && (fds[0].revents & POLLIN) &&
	    read(fds[0].fd, bytes, sizeof(bytes)) < 0)
		errno = 0;
}

/* Waits until the process is old enough to be sampled, or until a request arrives. Returns false if the process has ended. */
static bool await_age(void)
{
	const __u64 until = now_ns() + (memphis_settings.record == MEMPHIS_RECORD_AT_ONCE ? 0 : DEFER_NS);
	__u32 seen = atomic_load(&asked);
	__u64 now;

	while (!atomic_load(&wanted) && atomic_load(&life) == DEFERRED && (now = now_ns()) < until) {
		sys_wait(&asked, seen, now + LOOK_NS < until ? now + LOOK_NS : until);
		if (!memphis_companion_is_needed())
			return false;
		seen = atomic_load(&asked);
	}
	return true;
}

/*
 * Returns true for regular files and character devices such as terminals. A pipe must not stay open in the
 * drain, because its reader would wait until the drain closes it.
 */
static bool is_file_or_terminal(int fd)
{
	struct stat status;

	return !fstat(fd, &status) && (S_ISREG(status.st_mode) || S_ISCHR(status.st_mode));
}

/*
 * Gives the drain its own descriptor table. The drain keeps the shared table if the backend is perf: there,
 * the program's threads open, start and stop the events of new threads, and the drain does so for threads
 * that it attaches.
 */
static void take_own_descriptors(void)
{
	struct pollfd device;
	int bell_fd, device_fd;

	shared = memphis_backend->shares_descriptors;
	if (shared)
		return;
	bell_fd = memphis_fd_get(&bell[0]);
	device_fd = memphis_backend->descriptors(&device, 1) ? device.fd : -1;
	/* The file is open if the drain itself has opened the session. It is opened again in the drain's table. */
	memphis_file_drop(&memphis_session.output.process_file);
	shared = memphis_companion_own_descriptors(
			 (const int[3]){is_file_or_terminal(STDERR_FILENO) ? STDERR_FILENO : -1,
					bell_fd < device_fd ? bell_fd : device_fd,
					bell_fd < device_fd ? device_fd : bell_fd},
			 3) != 0;
}

/*
 * Closes the program's files after the program has ended. The last pass may take long, and another process
 * may wait until these files are closed, for example the reader of a pipe.
 */
static void close_files(void)
{
	struct rlimit before;
	int lowest;

	if (!shared)
		return;
	lowest = memphis_fd_raise(&before);
	memphis_fd_restore(&before);
	syscall(SYS_close_range, 0, lowest - 1, 0);
}

/*
 * Returns true if the program has ended or executes another program. The pidfd shows the end even of a
 * zombie, whose PID still exists.
 */
static bool has_program_ended(void)
{
	struct pollfd program = {.fd = program_fd, .events = POLLIN};

	return (program_fd >= 0 && poll(&program, 1, 0) > 0) || !memphis_companion_is_needed();
}

static void answer_request(__u32 upto)
{
	atomic_store(&done, upto);
	sys_wake(&done, INT_MAX);
}

/* Ends the drain permanently. */
static void end_drain(__u32 upto)
{
	atomic_store(&life, NONE);
	answer_request(upto);
}

/* Opens the session. Returns 0 or -errno. */
static int begin_session(void)
{
	int left = BEGIN_TRIES, err;

	for (;;) {
		memphis_session.tries_again = --left > 0;
		err = ops->begin();
		if (!err || !left || memphis_session.state != MEMPHIS_SESSION_FRESH)
			break;
		sys_wait(&life, DEFERRED, now_ns() + LOOK_NS);
	}
	memphis_session.tries_again = false;
	return err;
}

/* Starts to work for the session. Returns false if the drain's task must end. */
static bool begin_service(void)
{
	change_life(DEFERRED, SERVES);
	return !change_life(LEAVES, AWAY) && atomic_load(&life) != NONE;
}

static void run_drain(void)
{
	unsigned int what;
	__u32 upto;

	if (atomic_load(&life) == DEFERRED &&
	    (!await_age() || (atomic_load(&life) == DEFERRED && !atomic_load(&wanted) && begin_session())) &&
	    change_life(DEFERRED, NONE))
		answer_request(atomic_load(&asked));
	if (!begin_service())
		return;
	memphis_companion_leave_session();
	memphis_output_enter(&memphis_session);
	atomic_store(&memphis_events_drained, 1);
	take_own_descriptors();
	/*
	 * Open the file at once, because memphis top finds the files of a process by the files that its drain
	 * has open. The next commit may come much later.
	 */
	memphis_file_open_again(&memphis_session.output.process_file);
	program_fd = shared ? -1 : (int)syscall(SYS_pidfd_open, companion.program, 0);
	do {
		upto = atomic_load(&asked);
		what = atomic_exchange(&wanted, 0);
		if (!(what & (MEMPHIS_DRAIN_CLOSE | MEMPHIS_DRAIN_ABANDON)) && has_program_ended()) {
			close_files();
			ops->program_ended();
			what |= MEMPHIS_DRAIN_CLOSE | MEMPHIS_DRAIN_SETTINGS | MEMPHIS_DRAIN_HOLDERS;
		}
		if (!(what & MEMPHIS_DRAIN_ABANDON))
			run_pass(what);
		if (what & (MEMPHIS_DRAIN_CLOSE | MEMPHIS_DRAIN_ABANDON)) {
			end_drain(upto);
			return;
		}
		answer_request(upto);
		wait_for_work(upto);
	} while (begin_service());
}

/* Creates the socket pair that wakes the drain. Without it, requests wait for the end of the drain's interval. */
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
	has_bell = true;
	if (memphis_fd_take(&bell[0], ends[0]) || memphis_fd_take(&bell[1], ends[1]))
		errno = 0;
}

static void ring_bell(void)
{
	int saved = errno, fd = memphis_fd_get(&bell[1]);

	/*
	 * If the socket is full, the drain is about to wake up anyway. Without a socket, the drain wakes up
	 * at the end of its interval.
	 */
	if (fd >= 0)
		send(fd, "", 1, MSG_NOSIGNAL);
	errno = saved;
}

/* Makes the drain check its state and the requests. Returns the number of this request. */
static __u32 request_attention(void)
{
	const __u32 number = atomic_fetch_add(&asked, 1) + 1;

	sys_wake(&asked, INT_MAX);
	ring_bell();
	return number;
}

/* Forgets all requests and searches. */
static void reset_requests(const struct memphis_drain_ops *operations)
{
	ops = operations;
	wanted = asked = done = 0;
	at_work = 0;
	revivals = 0;
	has_bell = false;
	searched_at_ns = search_cost_ns = searched_changes = 0;
	looked_at_ns = look_cost_ns = 0;
	memphis_session.output.drain_missing = 0;
}

int memphis_drain_defer(const struct memphis_drain_ops *operations, bool was_forked)
{
	reset_requests(operations);
	atomic_store(&life, DEFERRED);
	return was_forked ? memphis_companion_start_forked(&companion) : memphis_companion_start(&companion);
}

bool memphis_drain_is_deferred(void)
{
	const __u32 now = atomic_load(&life);

	return now == DEFERRED || now == LEAVES || now == AWAY;
}

/* Stops sampling because the drain was killed during a pass, so the state of its data is unknown. */
static void abandon_sampling(void)
{
	memphis_say(
		"memphis: the process that writes the files was killed; what was not yet written is lost\n");
	memphis_backend->request(MEMPHIS_IOC_STOP, NULL);
	end_drain(atomic_load(&asked));
}

/*
 * Starts the task. The caller holds work_lock. Returns 0 or -errno. After an error, the state is MISSING, or
 * it remains DEFERRED if the drain was deferred.
 */
static int start_task(void)
{
	int err;

	memphis_session.tries_again = false; /* a drain that was killed may have set it */
	err = memphis_companion_start(&companion);
	if (err && change_life(SERVES, MISSING))
		memphis_session.output.drain_missing = 1;
	return err;
}

int memphis_drain_start(const struct memphis_drain_ops *operations)
{
	struct pollfd any;
	int err;

	err = memphis_output_open();
	if (err)
		return err;
	if (!memphis_backend->shares_descriptors)
		memphis_file_drop(&memphis_session.output.process_file);
	memphis_session.output.stage.lock = NULL; /* from here on, the passes use the stage */
	memphis_lock_take(&work_lock);
	if (!memphis_companion_runs(&companion)) {
		reset_requests(operations);
		atomic_store(&life, SERVES);
	}
	if (memphis_backend->descriptors(&any, 1) || memphis_backend->shares_descriptors)
		make_bell();
	if (!memphis_companion_runs(&companion))
		start_task();
	memphis_lock_release(&work_lock);
	return 0;
}

void memphis_drain_dismiss(unsigned int timeout_ms)
{
	atomic_store(&life, NONE);
	if (!memphis_companion_runs(&companion))
		return;
	request_attention();
	memphis_companion_wait(&companion, now_ns() + timeout_ms * 1000000ull);
}

int memphis_drain_leave(unsigned int timeout_ms)
{
	__u32 before = DEFERRED;
	bool is_mine;

	if (!memphis_companion_runs(&companion) || memphis_companion_is_apart())
		return 0;
	is_mine = change_life(before, LEAVES) || change_life(before = SERVES, LEAVES);
	request_attention();
	if (!memphis_companion_wait(&companion, now_ns() + timeout_ms * 1000000ull)) {
		/* If the state can't be changed back, the task is about to end. */
		if (!is_mine || change_life(LEAVES, before) ||
		    !memphis_companion_wait(&companion, now_ns() + END_NS))
			return -ETIMEDOUT;
	}
	change_life(LEAVES, AWAY); /* if the task was killed */
	return 0;
}

bool memphis_drain_shares_descriptors(void)
{
	return shared;
}

/* Starts the task again, unless it was killed in a pass. The caller holds work_lock. Returns 0 or -errno. */
static int restart_task(void)
{
	if (!atomic_load(&at_work))
		return start_task();
	abandon_sampling();
	return -EIO;
}

int memphis_drain_return(void)
{
	const bool has_session = memphis_session.state == MEMPHIS_SESSION_READY;
	int err = 0;

	if (atomic_load(&life) != AWAY)
		return 0;
	if (!memphis_lock_for(&work_lock, 5))
		return -EBUSY;
	/* If the task has not quite ended yet, revive_task() starts it again later. */
	if (change_life(AWAY, has_session ? SERVES : DEFERRED) &&
	    memphis_companion_wait(&companion, now_ns() + END_NS))
		err = restart_task();
	memphis_lock_release(&work_lock);
	return err;
}

/* Starts the drain again if it was killed between two passes. */
static void revive_task(void)
{
	const __u32 now = atomic_load(&life);

	if ((now != SERVES && now != DEFERRED) || !memphis_lock_for(&work_lock, 5))
		return;
	if (!memphis_companion_runs(&companion) && atomic_load(&life) == now) {
		if (++revivals > REVIVALS_MAX)
			abandon_sampling();
		else
			restart_task();
	}
	memphis_lock_release(&work_lock);
}

/* Makes the requested pass in the calling thread, because there is no drain. Returns 0 or -ETIMEDOUT. */
static int work_for_drain(unsigned int what)
{
	if (!memphis_lock_for(&work_lock, 5))
		return -ETIMEDOUT;
	if (atomic_load(&life) == MISSING && !(what & MEMPHIS_DRAIN_ABANDON))
		run_pass(what);
	if (what & (MEMPHIS_DRAIN_CLOSE | MEMPHIS_DRAIN_ABANDON))
		change_life(MISSING, NONE);
	memphis_lock_release(&work_lock);
	return 0;
}

int memphis_drain_request(unsigned int what, unsigned int timeout_ms)
{
	const __u64 until = now_ns() + timeout_ms * 1000000ull;
	__u32 mine, seen;
	__u64 now;

	if (memphis_companion_is_self())
		return 0; /* the drain itself: its next pass does everything, or there is no session */
	if (atomic_load(&life) == MISSING)
		return timeout_ms ? work_for_drain(what) : 0;
	if (atomic_load(&life) == NONE) {
		if (timeout_ms)
			memphis_say_untold();
		return 0;
	}
	atomic_fetch_or(&wanted, what);
	mine = request_attention();
	while (timeout_ms && (__s32)((seen = atomic_load(&done)) - mine) < 0 && atomic_load(&life) != NONE) {
		now = now_ns();
		if (now >= until)
			return -ETIMEDOUT;
		if (!memphis_companion_runs(&companion))
			revive_task();
		if (atomic_load(&life) == MISSING)
			return work_for_drain(what);
		sys_wait(&done, seen, now + ANSWER_NS < until ? now + ANSWER_NS : until);
	}
	/* Wait for the end of the task, so that it does not outlive the process. */
	if (what & (MEMPHIS_DRAIN_CLOSE | MEMPHIS_DRAIN_ABANDON))
		memphis_companion_wait(&companion, until);
	if (timeout_ms)
		memphis_say_untold();
	return 0;
}

void memphis_drain_pause(void)
{
	memphis_lock_take(&pass_lock);
}

void memphis_drain_resume(void)
{
	memphis_lock_release(&pass_lock);
}

void memphis_drain_forked(void)
{
	memphis_companion_forked(&companion);
	memphis_lock_reset(&pass_lock);
	memphis_lock_reset(&work_lock);
	memphis_fd_close(&bell[0]);
	memphis_fd_close(&bell[1]);
	program_fd = -1;
	atomic_store(&life, NONE);
	memphis_session.output.drain_missing = 0;
}
