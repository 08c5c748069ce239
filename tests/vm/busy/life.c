// SPDX-License-Identifier: BSD-3-Clause
/*
 * Processes that fork, exec, start threads and end in any way, in an order determined by a seed, with
 * sessions of their own.
 * usage: life SEED STEPS
 */
#define _GNU_SOURCE
#include "node.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTES     (64u << 10)
#define LOADS     20000u
#define ALIVE_MAX 6
#define BOARD     "/dev/shm/life"

/* Memory shared by all processes, kept across exec. */
struct board {
	long steps; /* steps left to do */
	unsigned int alive, forks, execs, threads, exits, kills, sessions, unbalanced;
	uint64_t interrupts;
};

static struct board *board;
static uint64_t buffer[BYTES / sizeof(uint64_t)];
static unsigned int seed;

/* The process's own session, if any. */
static struct memphis_config config;
static int fd = -1;
static struct thread_map map;

static void count(unsigned int *what)
{
	__atomic_add_fetch(what, 1, __ATOMIC_ACQ_REL);
}

static void execute(void)
{
	char text[16], *const arguments[] = {"life", text, NULL};

	snprintf(text, sizeof(text), "%u", (unsigned int)rand_r(&seed));
	count(&board->execs);
	execv("/proc/self/exe", arguments);
	need(false, "exec");
}

static void *execute_in_thread(void *unused)
{
	(void)unused;
	execute();
	return NULL;
}

static void begin_session(void)
{
	fd = open_session(&config);
	map = attach_mapped(fd, 0, &config);
	start(fd);
	count(&board->sessions);
}

static void end_session(void)
{
	struct memphis_accounting accounting;
	int32_t self = 0;

	stop(fd);
	/* A child may hold the session open, so the thread would stay attached to it. */
	need(!request(fd, MEMPHIS_IOC_DETACH, &self), "detach");
	accounting = read_books(&map);
	if (books_sum(&accounting) != accounting.interrupts)
		count(&board->unbalanced);
	__atomic_add_fetch(&board->interrupts, accounting.interrupts, __ATOMIC_ACQ_REL);
	unmap(&map);
	close_device(fd);
	fd = -1;
}

static void toggle_session(void)
{
	if (fd < 0)
		begin_session();
	else
		end_session();
}

static void *work(void *attaches)
{
	struct memphis_attach attach = {0};

	/* The session may have ended in the meantime. */
	errno = attaches ? request(fd, MEMPHIS_IOC_ATTACH, &attach) : 0;
	need(!errno || errno == EBADF || errno == ENOTCONN, "attach");
	walk(buffer, BYTES, LOADS);
	return NULL;
}

static void thread(void)
{
	pthread_t thread;

	count(&board->threads);
	need(!pthread_create(&thread, NULL, work, fd < 0 ? NULL : &fd), "thread");
	/* Some threads end by themselves, others with the process. */
	if (rand_r(&seed) % 2)
		pthread_join(thread, NULL);
	else
		pthread_detach(thread);
}

static void procreate(void)
{
	unsigned int next = (unsigned int)rand_r(&seed);
	pid_t child;

	if (__atomic_add_fetch(&board->alive, 1, __ATOMIC_ACQ_REL) > ALIVE_MAX) {
		__atomic_sub_fetch(&board->alive, 1, __ATOMIC_ACQ_REL);
		return;
	}
	count(&board->forks);
	child = fork();
	need(child >= 0, "fork");
	if (child)
		return;
	seed = next;
	/* Some children keep the maps of the parent's session, and some keep its descriptor. */
	if (fd >= 0 && seed % 2)
		close_device(fd);
	fd = -1;
}

static void end_in_order(void)
{
	count(&board->exits);
	exit(0);
}

static void step(void)
{
	pthread_t thread_id;

	switch (rand_r(&seed) % 32) {
	case 0 ... 2:
		end_in_order();
		break;
	case 3:
		count(&board->kills);
		kill(getpid(), SIGKILL);
		break;
	case 4 ... 5:
		execute();
		break;
	case 6:
		need(!pthread_create(&thread_id, NULL, execute_in_thread, NULL), "thread");
		for (;;)
			pause();
	case 7 ... 12:
		procreate();
		break;
	case 13 ... 16:
		thread();
		break;
	case 17 ... 21:
		toggle_session();
		break;
	default:
		walk(buffer, BYTES, LOADS);
	}
}

static void live(void)
{
	while (__atomic_sub_fetch(&board->steps, 1, __ATOMIC_ACQ_REL) >= 0)
		step();
	end_in_order();
}

static void map_board(int flags)
{
	int file = open(BOARD, O_RDWR | O_CLOEXEC | flags, 0600);

	need(file >= 0 && !ftruncate(file, sizeof(*board)), BOARD);
	board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	need(board != MAP_FAILED, "map of " BOARD);
	close(file);
}

/* Starts first-generation processes until all steps are done, and waits for all descendants. */
static void run_generations(void)
{
	pid_t child, ended;

	while (__atomic_load_n(&board->steps, __ATOMIC_ACQUIRE) > 0) {
		unsigned int next = (unsigned int)rand_r(&seed);

		count(&board->alive);
		child = fork();
		need(child >= 0, "fork");
		if (!child) {
			seed = next;
			live();
		}
		/* This process is the subreaper, so it waits for orphans as well. */
		while ((ended = wait(NULL)) > 0)
			__atomic_sub_fetch(&board->alive, 1, __ATOMIC_ACQ_REL);
	}
}

int main(int argc, char **argv)
{
	uint64_t before;

	need(argc == 2 || argc == 3, "usage: life SEED STEPS");
	seed = (unsigned int)strtoul(argv[1], NULL, 10);
	config = some_config();
	config.ring_records = 256;
	config.wakeup_records = 256;
	memset(buffer, 1, sizeof(buffer));
	map_board(argc == 3 ? O_CREAT | O_TRUNC : 0);
	if (argc == 2)
		live();
	board->steps = atol(argv[2]);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	before = delivered();
	run_generations();
	printf("# %u forks, %u execs, %u threads, %u exits, %u kills, %u sessions, %lu of %lu interrupts told\n",
	       board->forks, board->execs, board->threads, board->exits, board->kills, board->sessions,
	       board->interrupts, delivered() - before);
	check("life: every kind of event occurred", board->forks && board->execs && board->threads &&
							    board->exits && board->kills && board->sessions);
	check("life: samples were taken", board->interrupts > 0);
	check("life: there are no more samples than the machine delivered",
	      board->interrupts <= delivered() - before);
	check_equal("life: every accounting that could be read balances", board->unbalanced, 0);
	before = delivered();
	walk(buffer, BYTES, 100 * LOADS);
	check_equal("life: there are no interrupts after all processes have ended", delivered() - before, 0);
	check_equal("life: the kernel holds no ring after all processes have ended", rings_in_kernel(), 0);
	return 0;
}
