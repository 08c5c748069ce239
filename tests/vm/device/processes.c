// SPDX-License-Identifier: BSD-3-Clause
/*
 * Several processes: two concurrent sessions, descriptors and maps that a child inherits, owners that give them up, are killed or
 * execute another program, processes that end, and thread IDs that are used again. usage: processes
 */
#define _GNU_SOURCE
#include "session.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTES (8u << 20)
#define LOADS 1000000u

/* Memory shared by parent and children. */
struct board {
	int ready, go;
	struct memphis_accounting accounting[2];
	uint64_t unattached[2];
	uint64_t kept_foreign;
	int results[16];
};

static struct board *board;

static void wait_for(int *flag, int value)
{
	while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) < value)
		usleep(1000);
}

static void reach(int *flag)
{
	__atomic_add_fetch(flag, 1, __ATOMIC_ACQ_REL);
}

static void reset(void)
{
	memset(board, 0, sizeof(*board));
}

static pid_t child_of(void (*body)(int), int argument)
{
	pid_t child = fork();

	need(child >= 0, "fork");
	if (!child) {
		body(argument);
		exit(0);
	}
	return child;
}

/*
 * Samples itself on a CPU that both children share, and counts the samples whose data belongs to the other.
 */
static void sampled_child(int index)
{
	struct memphis_config config = some_config();
	uint64_t *buffer = buffer_on(0, BYTES);
	struct thread_map map;
	uint64_t i, foreign = 0;
	int fd = open_device();

	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	map = attach_mapped(fd, 0, &config);
	reach(&board->ready);
	wait_for(&board->go, 1);
	need(!request(fd, MEMPHIS_IOC_START, NULL), "start");
	walk(buffer, BYTES, LOADS * (1 + (size_t)index));
	need(!request(fd, MEMPHIS_IOC_STOP, NULL), "stop");
	board->accounting[index] = read_books(&map);
	for (i = 0; i < map.status->head && i < map.capacity; i++)
		if (in_walk(map.records[i].pc) && (map.records[i].address < (uintptr_t)buffer ||
						   map.records[i].address >= (uintptr_t)buffer + BYTES))
			foreign++;
	__atomic_add_fetch(&board->kept_foreign, foreign, __ATOMIC_ACQ_REL);
	close_device(fd);
}

static void check_two_sessions(void)
{
	uint64_t before_delivered, before_unattached;
	pid_t children[2];
	int fd = open_device(), status[2];

	reset();
	children[0] = child_of(sampled_child, 0);
	children[1] = child_of(sampled_child, 1);
	wait_for(&board->ready, 2);
	before_unattached = unattached(fd);
	before_delivered = delivered();
	reach(&board->go);
	waitpid(children[0], &status[0], 0);
	waitpid(children[1], &status[1], 0);
	check("two sessions at once: both processes end with success", !status[0] && !status[1]);
	/*
	 * Each instruction of the walk is chosen as often as its one load, so LOADS / period = 61 samples are
	 * expected, and twice as many in the second child. Fewer than the limits below (binomial) come in one
	 * of 10^7 and one of 10^10 runs. The accounting shows whether samples are missing.
	 */
	check("two sessions at once: both have samples",
	      board->accounting[0].kept >= 25 && board->accounting[1].kept >= 60);
	check_equal("two sessions at once: the first accounting balances", books_sum(&board->accounting[0]),
		    board->accounting[0].interrupts);
	check_equal("two sessions at once: the second accounting balances", books_sum(&board->accounting[1]),
		    board->accounting[1].interrupts);
	check_equal("two sessions at once: nothing is lost",
		    board->accounting[0].lost + board->accounting[1].lost, 0);
	check_equal("two sessions at once: both accountings together equal the machine's count",
		    board->accounting[0].interrupts + board->accounting[1].interrupts + unattached(fd) -
			    before_unattached,
		    delivered() - before_delivered);
	check_equal("two sessions at once: each has samples of its own data only", board->kept_foreign, 0);
	close_device(fd);
}

/* Checks that the parent's descriptor gives a child nothing. */
static void inheriting_child(int fd)
{
	struct pollfd file = {.fd = fd, .events = POLLIN};
	struct memphis_config config = some_config();
	struct memphis_attach attach = {0};
	struct memphis_query query;
	struct memphis_stats stats;
	int32_t tid = getppid();

	board->results[0] = request(fd, MEMPHIS_IOC_QUERY, &query);
	board->results[1] = request(fd, MEMPHIS_IOC_CONFIGURE, &config);
	board->results[2] = request(fd, MEMPHIS_IOC_ATTACH, &attach);
	board->results[3] = request(fd, MEMPHIS_IOC_DETACH, &tid);
	board->results[4] = request(fd, MEMPHIS_IOC_START, NULL);
	board->results[5] = request(fd, MEMPHIS_IOC_STOP, NULL);
	board->results[6] = request(fd, MEMPHIS_IOC_STATS, &stats);
	board->results[7] =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED ? errno : 0;
	board->results[8] =
		mmap(NULL, 4096 + 4096 * 40, PROT_READ, MAP_SHARED, fd, (1LL << 32) + 4096) == MAP_FAILED
			? errno
			: 0;
	poll(&file, 1, 0);
	board->results[9] = file.revents;
}

static void check_inheritance(void)
{
	static const char *const names[] = {
		"query",         "configure", "attach", "detach",
		"start",         "stop",      "stats",  "mmap of the session's page",
		"mmap of a ring"};
	struct memphis_config config = some_config();
	struct memphis_stats stats;
	struct thread_map map;
	char name[80];
	int fd = open_device();

	reset();
	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	map = attach_mapped(fd, 0, &config);
	need(!request(fd, MEMPHIS_IOC_START, NULL), "start");
	waitpid(child_of(inheriting_child, fd), NULL, 0);
	for (unsigned int i = 0; i < 9; i++) {
		snprintf(name, sizeof(name), "EPERM: %s by a child with the descriptor", names[i]);
		check_equal(name, board->results[i], EPERM);
	}
	check_equal("POLLERR: poll by a child with the descriptor", board->results[9], POLLERR);
	need(!request(fd, MEMPHIS_IOC_STATS, &stats), "stats");
	check("the owner's session is unchanged", stats.threads == 1 && stats.running == 1);
	unmap(&map);
	close_device(fd);
}

/* Samples itself without end; a child of its own holds the descriptor and the maps. */
static void endless_owner(int with_heir)
{
	struct memphis_config config = some_config();
	uint64_t *buffer = buffer_on(1, BYTES);
	int fd = open_device();

	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	attach_mapped(fd, 0, &config);
	need(!request(fd, MEMPHIS_IOC_START, NULL), "start");
	if (with_heir && !fork()) {
		board->results[0] = getpid();
		reach(&board->ready);
		for (;;)
			pause();
	}
	reach(&board->ready);
	for (;;)
		walk(buffer, BYTES, LOADS);
}

/* If a child holds the session, the kernel ends it soon after its owner's end, else before. */
static void check_kill(int with_heir, const char *name)
{
	uint64_t *buffer = buffer_on(0, BYTES);
	uint64_t before, interrupts;
	int tries = with_heir ? 100 : 1;
	pid_t owner;

	reset();
	before = delivered();
	owner = child_of(endless_owner, with_heir);
	wait_for(&board->ready, 1 + with_heir);
	while (delivered() - before < 100)
		usleep(1000);
	kill(owner, SIGKILL);
	waitpid(owner, NULL, 0);
	do {
		before = delivered();
		walk(buffer, BYTES, LOADS);
		interrupts = delivered() - before;
	} while (interrupts && --tries);
	check_equal(name, interrupts, 0);
	if (with_heir)
		kill(board->results[0], SIGKILL);
	munmap(buffer, BYTES);
}

/* Creates a child that holds what this process has: descriptors and maps. */
static pid_t make_heir(void)
{
	pid_t heir = fork();

	need(heir >= 0, "fork");
	if (!heir)
		for (;;)
			pause();
	return heir;
}

static uint64_t interrupts_of_walk(const uint64_t *buffer)
{
	const uint64_t before = delivered();

	walk(buffer, BYTES, LOADS);
	return delivered() - before;
}

/* Attaches the caller by another session, and ends that. Returns the error of the request. */
static int attach_by_new_session(const struct memphis_config *config)
{
	struct memphis_config copy = *config;
	struct memphis_attach attach = {0};
	int fd = open_device(), error;

	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &copy), "configure");
	error = request(fd, MEMPHIS_IOC_ATTACH, &attach);
	close_device(fd);
	return error;
}

/* Waits for the kernel thread that ends a session. */
static void wait_for_end(const struct memphis_config *config)
{
	int error = EEXIST;

	for (int i = 0; i < 100000 && error == EEXIST; i++) {
		error = attach_by_new_session(config);
		usleep(1000);
	}
	check_equal("given up: another session can attach the thread after the last map was removed", error,
		    0);
}

/*
 * The owner gives up its maps, and then everything; a child has all. The kernel ends the session soon after the last map was removed,
 * but not before munmap() returns.
 */
static void check_last_map(bool keeps_descriptor)
{
	struct memphis_config config = some_config();
	uint64_t *buffer = buffer_on(0, BYTES);
	struct memphis_attach attach = {0};
	struct memphis_stats stats;
	struct thread_map map;
	int fd = open_unmapped();
	pid_t heir;

	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	map = attach_mapped(fd, 0, &config);
	need(!request(fd, MEMPHIS_IOC_START, NULL), "start");
	heir = make_heir();
	if (!keeps_descriptor)
		close_device(fd);
	check("given up: sampled with maps alone", interrupts_of_walk(buffer) > 0);
	unmap(&map);
	wait_for_end(&config);
	check_equal("given up: no interrupts after the last map was removed", interrupts_of_walk(buffer), 0);
	if (keeps_descriptor) {
		need(!request(fd, MEMPHIS_IOC_STATS, &stats), "stats");
		check("given up: a session that has ended is stopped and empty",
		      !stats.threads && !stats.running);
		check_equal("ENOTCONN: attach to a session that its owner does not map",
			    request(fd, MEMPHIS_IOC_ATTACH, &attach), ENOTCONN);
		map_session(fd);
		check_equal("given up: a session that is mapped anew can be used again",
			    request(fd, MEMPHIS_IOC_ATTACH, &attach), 0);
		need(!request(fd, MEMPHIS_IOC_DETACH, &attach.tid), "detach");
		close_device(fd);
	}
	kill(heir, SIGKILL);
	waitpid(heir, NULL, 0);
	munmap(buffer, BYTES);
}

/* Executes this program again with the descriptor open; continues in after_exec(). */
static void executing_owner(int unused)
{
	struct memphis_config config = some_config();
	char number[16], *const arguments[] = {"processes", "after-exec", number, NULL};
	int fd = open_device();

	(void)unused;
	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	attach_mapped(fd, 0, &config);
	need(!request(fd, MEMPHIS_IOC_START, NULL), "start");
	fcntl(fd, F_SETFD, 0);
	snprintf(number, sizeof(number), "%d", fd);
	execv("/proc/self/exe", arguments);
}

static int after_exec(int fd)
{
	struct memphis_query query;

	check_equal("EPERM: the same process after exec", request(fd, MEMPHIS_IOC_QUERY, &query), EPERM);
	check("EPERM: map by the same process after exec",
	      mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED && errno == EPERM);
	return 0;
}

/* Executes another program while a child still has the map of the ring and observes it. */
static void exec_watched(int unused)
{
	struct memphis_config config = some_config();
	char *const arguments[] = {"processes", "walk", NULL};
	struct thread_map map;
	int fd = open_device();

	(void)unused;
	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	map = attach_mapped(fd, 0, &config);
	need(!request(fd, MEMPHIS_IOC_START, NULL), "start");
	fcntl(fd, F_SETFD, 0);
	if (!fork()) {
		uint64_t kept;

		wait_for(&board->go, 1);
		kept = read_books(&map).kept;
		reach(&board->ready);
		wait_for(&board->go, 2);
		board->accounting[0] = read_books(&map);
		board->unattached[0] = kept;
		reach(&board->ready);
		_exit(0);
	}
	execv("/proc/self/exe", arguments);
}

/*
 * Returns whether no interrupt comes in a program that a sampled thread executes. Events per CPU go on, and before
 * Linux 5.13 so do those of threads.
 */
static bool event_ends_at_exec(void)
{
	struct memphis_query query;
	unsigned int major, minor;
	struct utsname kernel;
	int fd = open_device();

	need(!request(fd, MEMPHIS_IOC_QUERY, &query), "query");
	close_device(fd);
	need(!uname(&kernel) && sscanf(kernel.release, "%u.%u", &major, &minor) == 2, "uname");
	return query.sampler == MEMPHIS_SAMPLER_TASK && (major > 5 || (major == 5 && minor >= 13));
}

static void check_exec(void)
{
	uint64_t before;
	pid_t child;
	int status;

	reset();
	waitpid(child_of(executing_owner, 0), &status, 0);
	check("an owner that executes another program ends with success", !status);

	/* The new program stops itself before and after its walk. */
	child = child_of(exec_watched, 0);
	waitpid(child, &status, WUNTRACED);
	need(WIFSTOPPED(status), "the new program stops before its walk");
	reach(&board->go);
	wait_for(&board->ready, 1);
	before = delivered();
	kill(child, SIGCONT);
	waitpid(child, &status, WUNTRACED);
	need(WIFSTOPPED(status), "the new program stops after its walk");
	check("a program that the owner executed is not interrupted, where the kernel can end the event",
	      !event_ends_at_exec() || delivered() == before);
	reach(&board->go);
	wait_for(&board->ready, 2);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	check_equal("no sample of the program that the owner executed is kept", board->accounting[0].kept,
		    board->unattached[0]);
	check_equal("the accounting balances after an exec", books_sum(&board->accounting[0]),
		    board->accounting[0].interrupts);
}

/* Ends on request; the kernel then gives back its memory page by page. */
static void ending_child(int unused)
{
	char *memory = mmap(NULL, 2 * BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)unused;
	run_on(0);
	need(memory != MAP_FAILED && !madvise(memory, 2 * BYTES, MADV_NOHUGEPAGE), "small pages");
	memset(memory, 1, 2 * BYTES);
	reach(&board->ready);
	wait_for(&board->go, 1);
}

/*
 * A task that ends gives up its memory first, and has none while the kernel gives back the pages. Kernels without "perf: Fix
 * sample vs do_exit()" (Linux 6.16, stable releases since July 2025) sample it even then. These interrupts belong to the
 * thread as well, which has ended only when none can follow.
 */
static void check_end_of_process(void)
{
	uint64_t before_delivered, before_unattached;
	struct memphis_config config = some_config();
	struct memphis_accounting at_end;
	struct thread_map map;
	char path[64];
	pid_t child;
	int fd = open_device(), memory;

	reset();
	run_on(1);
	child = child_of(ending_child, 0);
	wait_for(&board->ready, 1);
	snprintf(path, sizeof(path), "/proc/%d/environ", child);
	memory = open(path, O_RDONLY | O_CLOEXEC);
	need(memory > 0, path);
	if (hardware()->kind == MEMPHIS_HARDWARE_IBS)
		config.period = 1024;
	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	map = attach_other(fd, child, memory, &config);
	before_unattached = unattached(fd);
	before_delivered = delivered();
	need(!request(fd, MEMPHIS_IOC_START, NULL), "start");
	reach(&board->go);
	/* The kernel looks for ended threads when it computes the accounting. */
	for (int i = 0; i < 1000000 && !map.status->exited; i++) {
		unattached(fd);
		usleep(100);
	}
	at_end = read_books(&map);
	waitpid(child, NULL, 0);
	need(!request(fd, MEMPHIS_IOC_STOP, NULL), "stop");
	check_equal("the end of a process is reported", map.status->exited, 1);
	check_equal("no interrupt of a process comes after its end was reported", read_books(&map).interrupts,
		    at_end.interrupts);
	check_equal("the accounting of a process that has ended equals the machine's count",
		    at_end.interrupts + unattached(fd) - before_unattached, delivered() - before_delivered);
	unmap(&map);
	close(memory);
	close_device(fd);
}

#define RESERVED_TIDS 300 /* Linux assigns lower thread IDs once only */

static int reused_fd, looked_at;

/* Attaches itself if its thread ID may be used again. */
static void *attach_and_end(void *argument)
{
	struct memphis_attach *attach = argument;

	attach->tid = gettid() < RESERVED_TIDS ? 0 : gettid();
	need(!attach->tid || !request(reused_fd, MEMPHIS_IOC_ATTACH, attach), "attach");
	return NULL;
}

/* Attaches itself if it has the thread ID of the thread that has ended. */
static void *attach_if_same(void *argument)
{
	struct memphis_attach *attach = argument;

	if (gettid() != attach->tid)
		return NULL;
	need(!request(reused_fd, MEMPHIS_IOC_ATTACH, attach), "attach");
	reach(&looked_at);
	wait_for(&looked_at, 2);
	return attach;
}

/* The kernel assigns thread IDs in turn up to pid_max, which guest.sh has lowered. */
static void check_reused_tid(void)
{
	struct memphis_config config = some_config();
	struct memphis_attach ended = {0}, attach = {0};
	struct memphis_stats stats;
	pthread_t thread;
	void *same = NULL;
	int32_t tid;

	reused_fd = open_device();
	config.ring_records = config.wakeup_records = 16;
	need(!request(reused_fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	while (!ended.tid) {
		need(!pthread_create(&thread, NULL, attach_and_end, &ended), "thread");
		pthread_join(thread, NULL);
	}
	tid = ended.tid;
	for (int i = 0; i < 40000 && !looked_at; i++) {
		attach.tid = tid;
		need(!pthread_create(&thread, NULL, attach_if_same, &attach), "thread");
		/* A thread with another ID ends at once. */
		while (!__atomic_load_n(&looked_at, __ATOMIC_ACQUIRE) && pthread_tryjoin_np(thread, &same))
			sched_yield();
	}
	need(looked_at == 1, "a thread ID that is used again");
	check("the thread with the ID of an ended one has a ring of its own",
	      attach.ring_offset != ended.ring_offset);
	need(!request(reused_fd, MEMPHIS_IOC_DETACH, &tid), "detach");
	check("a detach by a thread ID that was used again takes the ended thread first",
	      mmap(NULL, ended.ring_bytes, PROT_READ, MAP_SHARED, reused_fd, (off_t)ended.ring_offset) ==
			      MAP_FAILED &&
		      mmap(NULL, attach.ring_bytes, PROT_READ, MAP_SHARED, reused_fd,
			   (off_t)attach.ring_offset) != MAP_FAILED);
	check_equal("the next detach takes the thread that runs",
		    request(reused_fd, MEMPHIS_IOC_DETACH, &tid), 0);
	need(!request(reused_fd, MEMPHIS_IOC_STATS, &stats), "stats");
	check_equal("no thread is left attached", stats.threads, 0);
	reach(&looked_at);
	pthread_join(thread, NULL);
	close_device(reused_fd);
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "after-exec"))
		return after_exec(atoi(argv[2]));
	if (argc == 2 && !strcmp(argv[1], "walk")) {
		uint64_t *buffer = buffer_on(0, BYTES);

		raise(SIGSTOP);
		walk(buffer, BYTES, LOADS);
		raise(SIGSTOP);
		return 0;
	}
	board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	need(board != MAP_FAILED, "board");
	check_two_sessions();
	check_inheritance();
	check_kill(0, "no interrupts after the owner was killed");
	check_kill(1, "no interrupts after the owner was killed while a child holds its descriptor");
	check_last_map(true);
	check_last_map(false);
	check_exec();
	check_end_of_process();
	check_reused_tid();
	return 0;
}
