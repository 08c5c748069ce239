// SPDX-License-Identifier: BSD-3-Clause
/*
 * A member stops the node, or tries to: many processes give up hundreds of sessions at once, in every way, while their threads are
 * inside requests. Meanwhile a second user samples and makes requests, a daemon of root's closes the descriptors that it was sent, and
 * root takes CPUs offline and online. Whatever the member does, each request of all of them ends, each process ends when it is
 * killed, and the second user's books stay exact. Times are measured to find what hangs, and are otherwise only printed.
 * usage: storm ROUNDS SESSIONS [sampled]
 */
#define _GNU_SOURCE
#include "burst.h"
#include "common.h"
#include "watch.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTES         (1u << 20)
#define LOADS         100000u
#define TABLE_THREADS 400
#define DESCRIPTORS   (1u << 22) /* of these threads; distributions allow up to 2^30 */
#define FEW           8          /* sessions of all processes but the first one of a round */
#define HELD          256        /* descriptors that the daemon holds */

/* Processes that go on during the whole storm. */
enum actor { SECOND, VISITOR, DAEMON, HOTPLUG, ACTORS };

static const struct {
	const char *what, *check;
} actor_names[ACTORS] = {
	[SECOND] = {"a turn of the second user's sampling", "storm: the second user's requests end"},
	[VISITOR] = {"a session of the second user", "storm: the second user's new sessions end"},
	[DAEMON] = {"a close() by root's daemon", "storm: root's daemon is never held up"},
	[HOTPLUG] = {"a CPU's way offline or online", "storm: CPUs go offline and online"},
};

static struct board {
	struct front front;
	struct duty duties[ACTORS];
	int stop;
	/* Of the second user. */
	unsigned int unbalanced, silent;
	uint64_t interrupts, unattached, delivered;
	uint64_t refused; /* by hotplug */
} * board;

static pid_t actors[ACTORS], crews[WAYS + 1];
static unsigned int failures; /* processes that ended by themselves, without success */

static bool stopped(void)
{
	return __atomic_load_n(&board->stop, __ATOMIC_ACQUIRE);
}

/* ---- what goes on meanwhile ---- */

/* Samples a known walk, in turns. Only this user's thread is sampled, so that the machine's count is that of its books. */
static void sample_second(void *unused)
{
	uint64_t *buffer = buffer_on(0, BYTES), last = 0, told, before = delivered();
	struct memphis_config config = some_config();
	struct memphis_accounting accounting;
	struct thread_map map;
	cpu_set_t all;
	int fd;

	(void)unused;
	memset(&all, 0xff, sizeof(all));
	need(!sched_setaffinity(0, sizeof(all), &all), "affinity");
	become(BOB);
	fd = open_plain();
	need(mmap(NULL, MEMPHIS_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) != MAP_FAILED,
	     "map of the session's page");
	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	map = attach_mapped(fd, 0, &config);
	told = unattached(fd);
	before = delivered();
	while (!stopped()) {
		begin_duty(&board->duties[SECOND]);
		need(!request(fd, MEMPHIS_IOC_START, NULL), "start");
		walk(buffer, BYTES, LOADS);
		need(!request(fd, MEMPHIS_IOC_STOP, NULL), "stop");
		accounting = read_books(&map);
		board->unbalanced += books_sum(&accounting) != accounting.interrupts;
		board->silent += accounting.interrupts == last;
		last = accounting.interrupts;
		end_duty(&board->duties[SECOND]);
	}
	board->interrupts = accounting.interrupts;
	board->unattached = unattached(fd) - told;
	board->delivered = delivered() - before;
}

/* Opens and leaves sessions, with events of its own. */
static void visit(void *unused)
{
	(void)unused;
	become(BOB);
	while (!stopped()) {
		struct memphis_config config = some_config();
		struct memphis_attach attach = {0};
		void *page;
		int fd;

		begin_duty(&board->duties[VISITOR]);
		fd = open_plain();
		config.counters = 1 << MEMPHIS_COUNTER_EVENT_FIRST;
		config.counter_events[0].config = PERF_COUNT_HW_INSTRUCTIONS;
		page = mmap(NULL, MEMPHIS_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		need(page != MAP_FAILED, "map of the session's page");
		need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
		need(!request(fd, MEMPHIS_IOC_ATTACH, &attach), "attach");
		close(fd);
		munmap(page, MEMPHIS_PAGE_BYTES);
		end_duty(&board->duties[VISITOR]);
		usleep(10000);
	}
}

/* Closes what it is sent when the member gives it up, or when it can hold no more. */
static void serve(void *unused)
{
	struct front *front = &board->front;
	int held[HELD], count = 0;
	bool sent;

	(void)unused;
	while (!stopped()) {
		sent = recv(front->sockets[1], held, 1, MSG_PEEK | MSG_DONTWAIT) == 1;
		if (sent)
			held[count++] = receive_descriptor(front->sockets[1]);
		if (count == HELD || (count && __atomic_load_n(&front->go, __ATOMIC_ACQUIRE))) {
			begin_duty(&board->duties[DAEMON]);
			close(held[--count]);
			end_duty(&board->duties[DAEMON]);
		} else if (!sent) {
			usleep(1000);
		}
	}
}

static bool set_online(long cpu, const char *value)
{
	char path[64];
	bool done;
	int file;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%ld/online", cpu);
	file = open(path, O_WRONLY | O_CLOEXEC);
	need(file >= 0, path);
	begin_duty(&board->duties[HOTPLUG]);
	done = write(file, value, 1) == 1;
	end_duty(&board->duties[HOTPLUG]);
	close(file);
	return done;
}

static void plug(void *unused)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	(void)unused;
	for (long cpu = 1; !stopped(); cpu = cpu % (cpus - 1) + 1) {
		board->refused += !set_online(cpu, "0");
		usleep(20000);
		board->refused += !set_online(cpu, "1");
		usleep(20000);
	}
}

static void plug_all(void *unused)
{
	bool done = true;

	(void)unused;
	for (long cpu = sysconf(_SC_NPROCESSORS_CONF) - 1; cpu; cpu--)
		done = set_online(cpu, "0") && set_online(cpu, "1") && done;
	_exit(!done);
}

/* ---- watching ---- */

#define PREPARED "storm: all processes of the member are prepared"
#define ANSWERED "storm: all requests of the member end"
#define KILLED   "storm: each process of the member ends when it is killed"
#define RENEWED  "storm: a new process of the member can attach itself"
#define PLUGGED  "storm: afterwards, each CPU can be taken offline and online"

/* Ends the program when something hangs, as nothing that comes after could end. */
static void hang(const char *name, const char *who)
{
	check(name, false);
	printf("# after %u s: %s; processes of the member that have not ended:", patience(), who);
	for (unsigned int i = 0; i <= WAYS; i++)
		if (crews[i])
			printf(" %s", i < WAYS ? way_names[i] : "many");
	printf("\n");
	print_stuck();
	exit(1);
}

static void look_for_hangs(void)
{
	for (unsigned int i = 0; i < ACTORS; i++)
		if (is_overdue(&board->duties[i]))
			hang(actor_names[i].check, actor_names[i].what);
}

/* Reaps whatever has ended. None of those that go on may have. */
static void reap(void)
{
	pid_t ended;
	int status;

	while ((ended = waitpid(-1, &status, WNOHANG)) > 0) {
		for (unsigned int i = 0; i < ACTORS; i++)
			need(actors[i] != ended, actor_names[i].what);
		for (unsigned int i = 0; i <= WAYS; i++)
			if (crews[i] == ended)
				crews[i] = 0;
		failures += status && !WIFSIGNALED(status);
	}
}

/*
 * Waits until the condition holds; if it never does, and the member's processes make no progress any more, the check with this name has
 * failed.
 */
static void await(bool (*holds)(void), const char *name)
{
	struct duty wait = {0};
	unsigned int progress = 0;

	begin_duty(&wait);
	while (!holds()) {
		look_for_hangs();
		if (board->front.progress != progress) {
			progress = board->front.progress;
			begin_duty(&wait);
		}
		if (is_overdue(&wait))
			hang(name, name);
		reap();
		usleep(5000);
	}
}

static unsigned int expected;

static bool all_are_ready(void)
{
	return __atomic_load_n(&board->front.ready, __ATOMIC_ACQUIRE) == (int)expected;
}

static bool all_have_ended(void)
{
	for (unsigned int i = 0; i <= WAYS; i++)
		if (crews[i])
			return false;
	return true;
}

static bool none_is_left(void)
{
	return !processes_of(ALICE);
}

/* ---- the storm ---- */

static const struct burst *next_burst;

static void burst_body(void *unused)
{
	(void)unused;
	run_burst(next_burst, &board->front);
}

static void tables_body(void *unused)
{
	(void)unused;
	run_tables(TABLE_THREADS, DESCRIPTORS, &board->front);
}

static void kill_crews(void)
{
	for (unsigned int i = 0; i <= WAYS; i++)
		if (crews[i])
			kill(crews[i], SIGKILL);
}

/* A process like any other of the member's. */
static void visit_after(void *unused)
{
	struct memphis_config config;
	int fd;

	(void)unused;
	become(ALICE);
	fd = open_plain();
	config = shortest_config(fd);
	config.period = hardware()->period;
	need(mmap(NULL, MEMPHIS_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) != MAP_FAILED,
	     "map of the session's page");
	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	need(!request(fd, MEMPHIS_IOC_ATTACH, &(struct memphis_attach){0}), "attach");
}

static void tell(const char *what)
{
	printf("# %lu ms: %s; turns of the second user %lu, sessions %lu, closes by the daemon %lu, CPUs switched %lu\n",
	       milliseconds(), what, board->duties[SECOND].count, board->duties[VISITOR].count,
	       board->duties[DAEMON].count, board->duties[HOTPLUG].count);
	fflush(stdout);
}

static void play(unsigned int processes, bool killed)
{
	tell("start");
	expected = processes;
	await(all_are_ready, PREPARED);
	tell("all are ready");
	__atomic_store_n(&board->front.go, 1, __ATOMIC_RELEASE);
	usleep(50000);
	if (crews[WAY_KILLED])
		kill(crews[WAY_KILLED], SIGKILL);
	if (!killed)
		await(all_have_ended, ANSWERED);
	tell("all have ended");
	kill_crews();
	await(none_is_left, KILLED);
	crews[0] = start_child(visit_after, NULL);
	await(all_have_ended, RENEWED);
	board->front.ready = board->front.go = 0;
}

static void play_tables(void)
{
	FILE *file = fopen("/proc/sys/fs/nr_open", "w");

	need(file && fprintf(file, "%u", DESCRIPTORS) > 0 && !fclose(file), "nr_open");
	crews[0] = start_child(tables_body, NULL);
	play(1, false);
}

/* In the first process, enough sessions to fill every queue of the kernel with what their ends leave behind. */
static void play_round(unsigned int number, unsigned int sessions, bool start)
{
	static struct burst bursts[WAYS + 1];

	for (unsigned int way = 0; way <= WAYS; way++) {
		bool many = way == WAYS;

		bursts[way] = (struct burst){
			.way = many ? (number / 2 % 2 ? WAY_SEND : WAY_CLOSE) : (enum way)way,
			.sessions = many ? sessions : FEW,
			.threads = 3,
			.attach = (number + way) % 2,
			.start = start,
			.narrow = many,
		};
		next_burst = &bursts[way];
		crews[way] = start_child(burst_body, NULL);
	}
	play(WAYS + 1, number % 3 == 2);
}

static void start_actors(void)
{
	static void (*const bodies[ACTORS])(void *) = {sample_second, visit, serve, plug};

	for (unsigned int i = 0; i < ACTORS; i++)
		actors[i] = start_child(bodies[i], NULL);
}

static void stop_actors(void)
{
	int status[ACTORS];

	__atomic_store_n(&board->stop, 1, __ATOMIC_RELEASE);
	for (unsigned int i = 0; i < ACTORS; i++) {
		struct duty wait = {0};

		begin_duty(&wait);
		while (!waitpid(actors[i], &status[i], WNOHANG)) {
			look_for_hangs();
			if (is_overdue(&wait))
				hang(actor_names[i].check, actor_names[i].what);
			usleep(5000);
		}
		check(actor_names[i].check, !status[i] && board->duties[i].count);
		printf("# %s: %lu, the longest took %lu ms\n", actor_names[i].what, board->duties[i].count,
		       board->duties[i].longest);
		actors[i] = 0;
	}
	printf("# %lu times a CPU could not be switched\n", board->refused);
}

/* Those that failed have ended the program. */
static void check_ends(void)
{
	check(PREPARED, true);
	check(ANSWERED, true);
	check(KILLED, true);
	check(RENEWED, true);
	check_equal("storm: none of these processes failed", failures, 0);
	failures = 0;
	crews[0] = start_child(plug_all, NULL);
	await(all_have_ended, PLUGGED);
	check_equal(PLUGGED, failures, 0);
}

/* `alone`: nobody else was sampled. */
static void check_books(bool alone)
{
	check_equal("storm: the second user's accounting balances in each turn", board->unbalanced, 0);
	check_equal("storm: the second user is sampled in each turn", board->silent, 0);
	if (alone)
		check_equal("storm: the second user's accounting equals the machine's count",
			    board->interrupts + board->unattached, board->delivered);
}

int main(int argc, char **argv)
{
	unsigned int rounds, sessions, i;
	bool sampled;

	if (argc == 2 && !strcmp(argv[1], "nothing"))
		return 0;
	sampled = argc == 4 && !strcmp(argv[3], "sampled");
	need(argc == 3 || sampled, "usage: storm ROUNDS SESSIONS [sampled]");
	rounds = (unsigned int)atoi(argv[1]);
	sessions = (unsigned int)atoi(argv[2]);
	board = shared_memory(sizeof(*board));
	need(!chmod("/dev/memphis", 0666), "chmod");
	need(!prctl(PR_SET_CHILD_SUBREAPER, 1), "prctl");
	need(!socketpair(AF_UNIX, SOCK_DGRAM, 0, board->front.sockets), "sockets");
	hardware();
	start_actors();
	if (!sampled)
		play_tables();
	for (i = 0; i < rounds; i++)
		play_round(i, sessions, sampled);
	stop_actors();
	check_books(!sampled);
	check_ends();
	return 0;
}
