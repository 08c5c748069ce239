// SPDX-License-Identifier: BSD-3-Clause
/*
 * Threads of other processes: permission to attach them, and the information that is revealed. All users may open the
 * device. usage: foreign
 */
#define _GNU_SOURCE
#include "common.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTES  (8u << 20)
#define LOADS  1000000u
#define SETUID "/tmp/foreign-setuid"

static struct board {
	int ready, go, done, results[8];
	pid_t bob, setuid;
	uint64_t buffer;
} * board;

static int open_memory(pid_t pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static int attach_foreign(int fd, pid_t tid, int memory)
{
	struct memphis_attach attach = {.tid = tid, .memory = memory};

	return request(fd, MEMPHIS_IOC_ATTACH, &attach);
}

static int configured(struct memphis_config *config)
{
	int fd = open_device();

	*config = some_config();
	need(!request(fd, MEMPHIS_IOC_CONFIGURE, config), "configure");
	return fd;
}

static void sleeper(void *unused)
{
	(void)unused;
	reach(&board->ready);
	for (;;)
		pause();
}

static void bobs_sleeper(void *unused)
{
	become(BOB);
	sleeper(unused);
}

static void secretive(void *unused)
{
	need(!prctl(PR_SET_DUMPABLE, 0), "prctl");
	sleeper(unused);
}

static void finish(pid_t child)
{
	kill(child, SIGKILL);
	end_of(child);
}

/* Works on each request, and waits in between. */
static void worker(void *unused)
{
	uint64_t *buffer = buffer_on(0, BYTES);

	(void)unused;
	board->buffer = (uintptr_t)buffer;
	reach(&board->ready);
	for (int turn = 1;; turn++) {
		wait_for(&board->go, turn);
		if (board->results[0])
			return;
		walk(buffer, BYTES, LOADS);
		reach(&board->done);
	}
}

static void work(void)
{
	int turn = board->done + 1;

	reach(&board->go);
	wait_for(&board->done, turn);
}

static void check_sampling(void)
{
	uint64_t told, strange = 0, inside = 0, before, i;
	struct memphis_config config;
	struct memphis_accounting accounting;
	struct thread_map map;
	int fd = configured(&config), memory, other;
	pid_t child;

	child = start_child(worker, NULL);
	wait_for(&board->ready, 1);
	memory = open_memory(child, "auxv");
	need(memory > 0, "open of auxv");
	map = attach_other(fd, child, memory, &config);
	close(memory);
	other = configured(&config);
	memory = open_memory(child, "environ");
	check_equal("foreign: EEXIST for a thread of another session", attach_foreign(other, child, memory),
		    EEXIST);
	close_device(other);

	before = delivered();
	told = unattached(fd);
	need(!request(fd, MEMPHIS_IOC_START, NULL), "start");
	work();
	need(!request(fd, MEMPHIS_IOC_STOP, NULL), "stop");
	accounting = read_books(&map);
	check_equal("foreign: the accounting balances", books_sum(&accounting), accounting.interrupts);
	check_equal("foreign: the accounting equals the machine's count",
		    accounting.interrupts + unattached(fd) - told, delivered() - before);
	for (i = 0; i < map.status->head && i < map.capacity; i++) {
		bool own = map.records[i].address >= board->buffer &&
			   map.records[i].address < board->buffer + BYTES;

		strange += in_walk(map.records[i].pc) && !own;
		inside += own;
	}
	check("foreign: most samples are of the other process's walk, none of a third one's data",
	      inside * 2 > i && i && !strange);

	/* The end of the thread must be reported. */
	need(!request(fd, MEMPHIS_IOC_START, NULL), "start");
	board->results[0] = 1;
	reach(&board->go);
	need(end_of(child) == 0, "end of the worker");
	/* waitpid() may return before the task's last steps in the kernel, so wait for a moment. */
	for (i = 0; i < 100000 && !map.status->exited; i++) {
		need(!request(fd, MEMPHIS_IOC_STATS, &(struct memphis_stats){0}), "stats");
		usleep(1000);
	}
	check_equal("foreign: the end of the thread is reported", map.status->exited, 1);
	check_equal("foreign: ESRCH after the thread has ended", attach_foreign(fd, child, memory), ESRCH);
	unmap(&map);
	close(memory);
	close_device(fd);
}

static void check_descriptors(void)
{
	struct memphis_config config;
	int fd = configured(&config), own = open_memory(getpid(), "environ"), pipes[2], wrong;
	pid_t one, two;

	memset(board->results, 0, sizeof(board->results));
	board->ready = 0;
	one = start_child(sleeper, NULL);
	two = start_child(sleeper, NULL);
	wait_for(&board->ready, 2);
	check_equal("foreign: EACCES with a file of the caller's own", attach_foreign(fd, one, own), EACCES);
	wrong = open_memory(two, "environ");
	check_equal("foreign: EACCES with a file of a third process", attach_foreign(fd, one, wrong), EACCES);
	close(wrong);
	wrong = open_memory(one, "maps");
	check_equal("foreign: EACCES with a file that represents no memory", attach_foreign(fd, one, wrong),
		    EACCES);
	close(wrong);
	check_equal("foreign: EACCES with the device itself", attach_foreign(fd, one, fd), EACCES);
	need(!pipe(pipes), "pipe");
	check_equal("foreign: EACCES with a pipe", attach_foreign(fd, one, pipes[0]), EACCES);
	check_equal("foreign: EBADF with a descriptor that is closed", attach_foreign(fd, one, 900), EBADF);
	check_equal("foreign: EINVAL with a negative descriptor", attach_foreign(fd, one, -1), EINVAL);
	check_equal("foreign: ESRCH for a kernel thread", attach_foreign(fd, 2, own), ESRCH);
	check_equal("foreign: one's own thread can be attached in the same way",
		    attach_foreign(fd, getpid(), own), 0);
	finish(one);
	finish(two);
	close(own);
	close_device(fd);
}

static void check_rights(void)
{
	struct memphis_config config;
	int fd = configured(&config), own = open_memory(getpid(), "environ");
	pid_t child;

	check("foreign: another user's memory can't be opened",
	      open_memory(board->bob, "environ") < 0 && errno == EACCES);
	check_equal("foreign: EACCES for another user's process", attach_foreign(fd, board->bob, own),
		    EACCES);
	board->ready = 0;
	child = start_child(secretive, NULL);
	wait_for(&board->ready, 1);
	check("foreign: the memory of a process that is not dumpable can't be opened",
	      open_memory(child, "auxv") < 0 && errno == EACCES);
	check_equal("foreign: EACCES for a process that is not dumpable", attach_foreign(fd, child, own),
		    EACCES);
	finish(child);
	close(own);
	close_device(fd);
}

static void setuid_later(void *unused)
{
	char *const arguments[] = {"foreign", "walk", NULL};

	(void)unused;
	reach(&board->ready);
	wait_for(&board->go, 1);
	execv(SETUID, arguments);
	_exit(1);
}

/* An attached process executes a program with more privileges: nothing of that is revealed. */
static void check_exec(void)
{
	struct memphis_accounting before, after;
	struct memphis_config config;
	struct thread_map map;
	int fd = configured(&config), memory, status;
	pid_t child;

	board->ready = board->go = 0;
	child = start_child(setuid_later, NULL);
	wait_for(&board->ready, 1);
	memory = open_memory(child, "environ");
	map = attach_other(fd, child, memory, &config);
	need(!request(fd, MEMPHIS_IOC_START, NULL), "start");
	reach(&board->go);
	need(waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status), "stop before the walk");
	before = read_books(&map);
	check("foreign: the memory of a program with more privileges can't be opened",
	      open_memory(child, "environ") < 0 && errno == EACCES);
	kill(child, SIGCONT);
	need(waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status), "stop after the walk");
	after = read_books(&map);
	check("foreign: not even a count is revealed of a program that the process executes",
	      !memcmp(&before, &after, sizeof(before)));
	request(fd, MEMPHIS_IOC_DETACH, &child);
	check_equal("foreign: EACCES with a file from before", attach_foreign(fd, child, memory), EACCES);
	finish(child);
	unmap(&map);
	close(memory);
	close_device(fd);
}

/* The program that executes_soon() executes: attaches itself, and tells whether it is still attached when the other attach has ended. */
static int attach_twice(void)
{
	struct memphis_config config;
	struct memphis_attach self = {0};
	int fd = configured(&config);

	need(!request(fd, MEMPHIS_IOC_ATTACH, &self), "attach of the program itself");
	raise(SIGSTOP);
	return request(fd, MEMPHIS_IOC_ATTACH, &self);
}

static void executes_soon(void *unused)
{
	char *const arguments[] = {"foreign", "attach", NULL};

	(void)unused;
	reach(&board->ready);
	wait_for(&board->go, 1);
	usleep(20000);
	execv("/proc/self/exe", arguments);
	_exit(1);
}

/*
 * A process executes a program, which attaches itself, while another process still attaches the former program: memory for a large ring takes
 * longer.
 */
static void check_late(void)
{
	struct memphis_config config = some_config();
	int fd = open_device(), memory, status;
	pid_t child;

	config.ring_records = 1u << 20;
	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	board->ready = board->go = 0;
	child = start_child(executes_soon, NULL);
	wait_for(&board->ready, 1);
	memory = open_memory(child, "environ");
	reach(&board->go);
	attach_foreign(fd, child, memory); /* what it returns depends on which of the two is faster */
	need(waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status), "stop of the program");
	kill(child, SIGCONT);
	check_equal("foreign: a late attach of a former program leaves the present one attached",
		    end_of(child), EEXIST);
	close(memory);
	close_device(fd);
}

static void attaches_and_waits(void *target)
{
	struct memphis_config config;
	int fd = configured(&config);
	pid_t tid = (pid_t)(uintptr_t)target;

	attach_other(fd, tid, open_memory(tid, "environ"), &config);
	need(!request(fd, MEMPHIS_IOC_START, NULL), "start");
	reach(&board->ready);
	for (;;)
		pause();
}

/* The process that attached is killed: the sampled one goes on without further interrupts. */
static void check_kill(void)
{
	pid_t target, attacher;
	uint64_t before;

	memset(board->results, 0, sizeof(board->results));
	board->ready = board->go = board->done = 0;
	target = start_child(worker, NULL);
	wait_for(&board->ready, 1);
	attacher = start_child(attaches_and_waits, (void *)(uintptr_t)target);
	wait_for(&board->ready, 2);
	before = delivered();
	work();
	check("foreign: the process is sampled while the attaching process lives", delivered() > before);
	finish(attacher);
	before = delivered();
	work();
	check_equal("foreign: no interrupts after the attaching process was killed", delivered() - before, 0);
	finish(target);
}

static void in_namespace(void *unused)
{
	struct memphis_config config;
	int fd = configured(&config);

	(void)unused;
	board->results[1] = attach_foreign(fd, board->bob, open_memory(getpid(), "environ"));
	board->results[2] = attach_foreign(fd, board->bob, 900);
}

/* A PID namespace of root's, in which processes outside have no number. */
static void check_namespace(void *unused)
{
	(void)unused;
	need(!unshare(CLONE_NEWPID), "unshare");
	need(!end_of(start_child(in_namespace, NULL)), "end in the namespace");
	check_equal("foreign: ESRCH for a process outside the process namespace", board->results[1], ESRCH);
	check_equal("foreign: ESRCH in the process namespace, whatever descriptor is shown",
		    board->results[2], ESRCH);
}

static void alice(void *unused)
{
	(void)unused;
	become(ALICE);
	check_descriptors();
	check_rights();
	check_exec();
	check_late();
}

static void make_setuid(void)
{
	need(!system("cp /proc/$PPID/exe " SETUID " && chmod 4755 " SETUID), "a set-user-ID program");
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
	if (argc == 2 && !strcmp(argv[1], "attach"))
		return attach_twice();
	board = shared_memory(sizeof(*board));
	need(!chmod("/dev/memphis", 0666), "chmod");
	make_setuid();
	board->bob = start_child(bobs_sleeper, NULL);
	wait_for(&board->ready, 1);
	/* Only root may read the machine's count. */
	board->ready = 0;
	check_sampling();
	check_kill();
	board->ready = 0;
	check_equal("end of the user who attaches others", end_of(start_child(alice, NULL)), 0);
	check_equal("end of the process that makes a namespace", end_of(start_child(check_namespace, NULL)),
		    0);
	finish(board->bob);
	need(!chmod("/dev/memphis", 0600), "chmod");
	return 0;
}
