// SPDX-License-Identifier: BSD-3-Clause
/*
 * Several users of one node: a descriptor in the wrong hands, memory that one user hoards, programs with
 * other privileges, and the owner's time namespace. All users may open the device. usage: users
 */
#define _GNU_SOURCE
#include "common.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/major.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BYTES (8u << 20)
#define LOADS 1000000u

/* Rings of 2^20 records, 40 MiB each: six of them fit the budget of 256 MiB. */
#define LARGE       (1u << 20)
#define LARGE_RINGS 6

static struct board {
	int ready, go, held, refused, results[16];
	struct memphis_accounting accounting;
} * board;

static uint64_t memory_available(void)
{
	char line[128];
	uint64_t kilobytes = 0;
	FILE *file = fopen("/proc/meminfo", "r");

	need(file, "/proc/meminfo");
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "MemAvailable: %lu", &kilobytes) == 1)
			break;
	fclose(file);
	return kilobytes << 10;
}

/* Opens a session with one ring, whose memory is held only by its maps. */
static int hoard(uint32_t records)
{
	struct memphis_attach attach = {0};
	struct memphis_config config;
	int fd = open_device(), error;

	config = shortest_config(fd);
	config.ring_records = records;
	config.wakeup_records = 1;
	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	error = request(fd, MEMPHIS_IOC_ATTACH, &attach);
	if (!error)
		need(mmap(NULL, attach.ring_bytes, PROT_READ, MAP_SHARED, fd, (off_t)attach.ring_offset) !=
			     MAP_FAILED,
		     "map of the ring");
	close_device(fd);
	return error;
}

static void hoard_one(void *uid)
{
	int error;

	become((unsigned int)(uintptr_t)uid);
	error = hoard(LARGE);
	if (error)
		board->results[0] = error;
	reach(error ? &board->refused : &board->held);
	wait_for(&board->go, 1);
}

/* As many processes as would hold three times the budget. */
static void check_processes(void)
{
	struct rlimit limit = {0, 0};
	pid_t children[20], bob;
	unsigned int i;

	memset(board, 0, sizeof(*board));
	for (i = 0; i < 18; i++)
		children[i] = start_child(hoard_one, (void *)ALICE);
	while (board->held + board->refused < 18)
		usleep(1000);
	check_equal("many processes of one user hold six large rings in all", board->held, LARGE_RINGS);
	check_equal("EDQUOT: further large rings of these processes", board->results[0], EDQUOT);
	bob = start_child(hoard_one, (void *)BOB);
	wait_for(&board->held, LARGE_RINGS + 1);
	check("another user has a full budget of their own", true);
	board->go = 1;
	for (i = 0; i < 18; i++)
		end_of(children[i]);
	end_of(bob);
	memset(board, 0, sizeof(*board));
	board->go = 1;
	/* The device limits memory by its own budget, not by RLIMIT_MEMLOCK. */
	need(!setrlimit(RLIMIT_MEMLOCK, &limit), "setrlimit");
	end_of(start_child(hoard_one, (void *)ALICE));
	check_equal("the budget is free after the processes have ended, whatever RLIMIT_MEMLOCK is",
		    board->held, 1);
}

static void write_text(const char *path, const char *text)
{
	int file = open(path, O_WRONLY | O_CLOEXEC);

	need(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text), path);
	close(file);
}

/* Runs in a user namespace as one of its subordinate ids. */
static void hoard_as_subordinate(void *id)
{
	need(!setresgid(0, 0, 0), "setresgid");
	need(!setresuid((unsigned int)(uintptr_t)id, (unsigned int)(uintptr_t)id,
			(unsigned int)(uintptr_t)id),
	     "setresuid");
	reach(hoard(LARGE) ? &board->refused : &board->held);
	wait_for(&board->go, 2);
}

static void alice_in_namespace(void *unused)
{
	unsigned int i;

	(void)unused;
	become(ALICE);
	need(!unshare(CLONE_NEWUSER), "unshare");
	reach(&board->ready);
	wait_for(&board->go, 1); /* root writes the subordinate ids, as newuidmap does */
	for (i = 0; i < 8; i++)
		start_child(hoard_as_subordinate, (void *)(uintptr_t)i);
	for (i = 0; i < 8; i++)
		need(wait(NULL) > 0, "wait");
}

static void check_namespaces(void)
{
	char path[64];
	pid_t alice;

	memset(board, 0, sizeof(*board));
	alice = start_child(alice_in_namespace, NULL);
	wait_for(&board->ready, 1);
	snprintf(path, sizeof(path), "/proc/%d/uid_map", alice);
	write_text(path, "0 1000 1\n1 100000 100\n");
	snprintf(path, sizeof(path), "/proc/%d/gid_map", alice);
	write_text(path, "0 1000 1\n");
	board->go = 1;
	while (board->held + board->refused < 8)
		usleep(1000);
	check_equal("subordinate ids share the budget of their user", board->held, LARGE_RINGS);
	end_of(start_child(hoard_one, (void *)(uintptr_t)100003)); /* go is already 1 */
	check_equal("subordinate ids leave the budget of a user with the same number alone", board->held,
		    LARGE_RINGS + 1);
	board->go = 2;
	check_equal("end of the user in a namespace", end_of(alice), 0);
}

/* Small rings also exhaust the budget. */
static void exhaust_small(void *unused)
{
	struct rlimit limit = {20000, 20000};
	int opened = 0, error = 0;

	(void)unused;
	need(!setrlimit(RLIMIT_NOFILE, &limit), "setrlimit");
	become(ALICE);
	while (opened < 19000) {
		int next = open("/dev/memphis", O_RDWR | O_CLOEXEC);

		if (next < 0) {
			error = errno;
			break;
		}
		opened++;
	}
	board->results[0] = opened;
	board->results[1] = error;
}

static void set_parameter(const char *name, const char *value)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/module/memphis/parameters/%s", name);
	write_text(path, value);
}

static void check_sessions(void)
{
	memset(board, 0, sizeof(*board));
	set_parameter("ring_budget_bytes", "16777216");
	check_equal("end of the process that opens all it can", end_of(start_child(exhaust_small, NULL)), 0);
	/* Five pages each, of 16 MiB. */
	check_equal("sessions without a ring count against the budget", board->results[0], 819);
	check_equal("EDQUOT: one more session without a ring", board->results[1], EDQUOT);
	set_parameter("ring_budget_bytes", "268435456");
}

/* Tries every request on the descriptor. */
static void use_stolen(int fd, int *results)
{
	struct epoll_event event = {.events = EPOLLIN};
	struct pollfd file = {.fd = fd, .events = POLLIN};
	struct memphis_attach attach = {0};
	struct memphis_config config = some_config();
	struct memphis_query query;
	struct memphis_stats stats;
	int32_t tid = 0;
	int set = epoll_create1(0);

	results[0] = request(fd, MEMPHIS_IOC_QUERY, &query);
	results[1] = request(fd, MEMPHIS_IOC_CONFIGURE, &config);
	results[2] = request(fd, MEMPHIS_IOC_ATTACH, &attach);
	results[3] = request(fd, MEMPHIS_IOC_DETACH, &tid);
	results[4] = request(fd, MEMPHIS_IOC_START, NULL);
	results[5] = request(fd, MEMPHIS_IOC_STOP, NULL);
	results[6] = request(fd, MEMPHIS_IOC_STATS, &stats);
	results[7] = try_map(fd, 0, 4096, PROT_READ, MAP_SHARED);
	results[8] = try_map(fd, 1ULL << 32, 4096, PROT_READ, MAP_SHARED);
	results[9] = try_map(fd, (1ULL << 32) + 4096, 4096 + 4096 * 40, PROT_READ, MAP_SHARED);
	poll(&file, 1, 0);
	results[10] = file.revents;
	need(!epoll_ctl(set, EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
	results[11] = epoll_wait(set, &event, 1, 0) == 1 ? (int)event.events : 0;
	close(set);
}

static int sockets[2];

static void steal(void *uid)
{
	int fd;

	become((unsigned int)(uintptr_t)uid);
	fd = receive_descriptor(sockets[1]);
	use_stolen(fd, board->results);
	close_device(fd);
}

static void check_passing(void)
{
	struct memphis_config config = some_config();
	struct memphis_stats stats;
	struct thread_map map;
	unsigned int refused = 0;
	int fd = open_device();

	memset(board, 0, sizeof(*board));
	need(!socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, sockets), "socketpair");
	config.period = shortest_config(fd).period;
	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	map = attach_mapped(fd, 0, &config);
	need(!request(fd, MEMPHIS_IOC_START, NULL), "start");
	send_descriptor(sockets[0], fd);
	check_equal("end of the other user", end_of(start_child(steal, (void *)BOB)), 0);
	for (unsigned int i = 0; i < 10; i++)
		refused += board->results[i] == EPERM;
	check_equal("EPERM: all requests and maps by another user with the descriptor", refused, 10);
	check_equal("POLLERR: poll by another user with the descriptor", board->results[10], POLLERR);
	check_equal("EPOLLERR: epoll by another user with the descriptor", board->results[11], EPOLLERR);
	need(!request(fd, MEMPHIS_IOC_STATS, &stats), "stats");
	check("the owner's session is unchanged", stats.threads == 1 && stats.running == 1);
	unmap(&map);
	close_device(fd);

	/* Sent but never received: the end of the socket is the end of the session. */
	fd = open_device();
	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	map = attach_mapped(fd, 0, &config);
	unmap(&map);
	need(!request(fd, MEMPHIS_IOC_START, NULL), "start");
	send_descriptor(sockets[0], fd);
	close_device(fd);
	close(sockets[0]);
	close(sockets[1]);
	fd = open_device();
	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	check_equal("a session whose descriptor was never received holds no thread",
		    request(fd, MEMPHIS_IOC_ATTACH, &(struct memphis_attach){0}), 0);
	close_device(fd);
}

/* Executes a program while sampled; a child keeps the ring mapped and reports its accounting. */
static void watched_exec(void *unused)
{
	char *const arguments[] = {"users", "walk", NULL};
	struct memphis_accounting before;
	struct memphis_config config;
	struct thread_map map;
	int fd = open_device();

	(void)unused;
	config = shortest_config(fd);
	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	map = attach_mapped(fd, 0, &config);
	need(!request(fd, MEMPHIS_IOC_START, NULL), "start");
	if (!fork()) {
		wait_for(&board->go, 1);
		before = read_books(&map);
		reach(&board->ready);
		wait_for(&board->go, 2);
		board->accounting = read_books(&map);
		for (unsigned int i = 0; i < MEMPHIS_REASONS_MAX; i++)
			board->accounting.filtered[i] -= before.filtered[i];
		board->accounting.interrupts -= before.interrupts;
		reach(&board->ready);
		_exit(0);
	}
	execv("/proc/self/exe", arguments);
}

static void check_exec(void)
{
	uint64_t sum = 0;
	int status;
	pid_t child;

	memset(board, 0, sizeof(*board));
	child = start_child(watched_exec, NULL);
	need(waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status), "stop before the walk");
	reach(&board->go);
	wait_for(&board->ready, 1);
	kill(child, SIGCONT);
	need(waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status), "stop after the walk");
	reach(&board->go);
	wait_for(&board->ready, 2);
	kill(child, SIGKILL);
	end_of(child);
	for (unsigned int i = 0; i < MEMPHIS_REASONS_MAX; i++)
		sum += board->accounting.filtered[i];
	check_equal("not even a count is revealed of a program that was executed",
		    board->accounting.interrupts + sum, 0);
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void sampled_in_namespace(void *unused)
{
	uint64_t *buffer = buffer_on(0, BYTES), start = now(), inside = 0, i;
	struct memphis_config config;
	struct thread_map map;
	int fd = open_device();

	(void)unused;
	config = shortest_config(fd);
	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	map = attach_mapped(fd, 0, &config);
	need(!request(fd, MEMPHIS_IOC_START, NULL), "start");
	walk(buffer, BYTES, LOADS);
	need(!request(fd, MEMPHIS_IOC_STOP, NULL), "stop");
	for (i = 0; i < map.status->head && i < map.capacity; i++)
		inside += map.records[i].time_ns >= start && map.records[i].time_ns <= now();
	check("a time namespace: its clock is an hour ahead", start > 3600ULL * 1000000000);
	check("a time namespace: samples have its clock, not the machine's", i > 0 && inside == i);
	close_device(fd);
}

static void own_time(void *unused)
{
	(void)unused;
	need(!unshare(CLONE_NEWTIME), "unshare");
	write_text("/proc/self/timens_offsets", "monotonic 3600 0\n");
	_exit(end_of(start_child(sampled_in_namespace, NULL)));
}

/*
 * The kernel opens one miscellaneous device at a time (major number 10). A user whose cgroup has no memory left would keep all others from
 * /dev/fuse and /dev/kvm, as the open of a session takes memory.
 */
static void check_number(void)
{
	struct stat status;

	need(!stat("/dev/memphis", &status), "stat");
	check("to open the device keeps nobody from other devices", major(status.st_rdev) != MISC_MAJOR);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "walk")) {
		uint64_t *buffer = buffer_on(0, BYTES);

		raise(SIGSTOP);
		walk(buffer, BYTES, LOADS);
		raise(SIGSTOP);
		return 0;
	}
	board = shared_memory(sizeof(*board));
	need(!chmod("/dev/memphis", 0666), "chmod");
	check_number();
	need(memory_available() > (uint64_t)12 * 42 << 20, "memory for twelve large rings");
	check_passing();
	check_processes();
	check_namespaces();
	check_sessions();
	check_exec();
	check_equal("end of the process in a time namespace", end_of(start_child(own_time, NULL)), 0);
	need(!chmod("/dev/memphis", 0600), "chmod");
	return 0;
}
