// SPDX-License-Identifier: BSD-3-Clause
/*
 * Several processes: two concurrent sessions, a descriptor that a child inherits, owners that are killed or
 * execute another program. usage: processes
 */
#define _GNU_SOURCE
#include "session.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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
	close(fd);
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
	close(fd);
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
	close(fd);
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

static void check_kill(int with_heir, const char *name)
{
	uint64_t *buffer = buffer_on(0, BYTES);
	uint64_t before;
	pid_t owner;

	reset();
	before = delivered();
	owner = child_of(endless_owner, with_heir);
	wait_for(&board->ready, 1 + with_heir);
	while (delivered() - before < 100)
		usleep(1000);
	kill(owner, SIGKILL);
	waitpid(owner, NULL, 0);
	before = delivered();
	walk(buffer, BYTES, LOADS);
	check_equal(name, delivered() - before, 0);
	if (with_heir)
		kill(board->results[0], SIGKILL);
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

static void check_exec(void)
{
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
	kill(child, SIGCONT);
	waitpid(child, &status, WUNTRACED);
	need(WIFSTOPPED(status), "the new program stops after its walk");
	reach(&board->go);
	wait_for(&board->ready, 2);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	check_equal("no sample of the program that the owner executed is kept", board->accounting[0].kept,
		    board->unattached[0]);
	check_equal("the accounting balances after an exec", books_sum(&board->accounting[0]),
		    board->accounting[0].interrupts);
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
	check_exec();
	return 0;
}
