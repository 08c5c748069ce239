// SPDX-License-Identifier: BSD-3-Clause
/*
 * Fuzzes /dev/memphis in a guest. usage: fuzz SECONDS SEED (as root; the module is /root/memphis.ko)
 * Prints its rounds and the results of health.c; complaints of the kernel are in the guest's log.
 */
#define _GNU_SOURCE
#include "fuzz.h"
#include "watch.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MODULE "/root/" MODULE_NAME ".ko"

struct shared *shared;
static uint64_t generations[PROCESSES];

/* The finaliser of splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014). */
static uint64_t mix(uint64_t value)
{
	value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
	value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
	return value ^ (value >> 31);
}

struct dice dice_of(uint64_t seed, uint64_t a, uint64_t b, uint64_t c)
{
	return (struct dice){mix(mix(mix(mix(seed) ^ a) ^ b) ^ c)};
}

static uint64_t next(struct dice *dice)
{
	return mix(dice->state += 0x9e3779b97f4a7c15ULL);
}

uint32_t roll(struct dice *dice, uint32_t sides)
{
	return sides ? (uint32_t)((next(dice) >> 32) * sides >> 32) : 0;
}

uint64_t roll_odd(struct dice *dice)
{
	static const uint64_t edges[] = {0,
					 1,
					 2,
					 3,
					 4,
					 7,
					 8,
					 15,
					 16,
					 17,
					 31,
					 32,
					 63,
					 64,
					 100,
					 4095,
					 4096,
					 4097,
					 0x7fff,
					 0x8000,
					 0xffff,
					 0x10000,
					 0x7fffffff,
					 0x80000000,
					 0xffffffff,
					 0x100000000,
					 0x7ffffffffffff000,
					 0x7fffffffffffffff,
					 0x8000000000000000,
					 0xffff800000000000,
					 0xffffffff81000000,
					 0xfffffffffffff000,
					 0xfffffffffffffffe,
					 0xffffffffffffffff};

	switch (roll(dice, 4)) {
	case 0:
		return next(dice);
	case 1:
		return 1ULL << roll(dice, 64);
	case 2:
		return (1ULL << roll(dice, 64)) - 1;
	default:
		return PICK(dice, edges);
	}
}

static uint64_t seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec;
}

static void need(bool holds, const char *what)
{
	if (holds)
		return;
	perror(what);
	exit(1);
}

/* Creates the shared memory as a file, so that a worker finds it after an exec, too. */
static void share(void)
{
	int fd = memfd_create("fuzz", 0);

	need(fd >= 0 && !ftruncate(fd, sizeof(*shared)) && dup2(fd, FD_SHARED) >= 0, "shared memory");
	close(fd);
}

static void map_shared(void)
{
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, FD_SHARED, 0);
	need(shared != MAP_FAILED, "map of shared memory");
}

static void connect_workers(void)
{
	int pair[2];

	need(!socketpair(AF_UNIX, SOCK_DGRAM, 0, pair), "sockets");
	need(dup2(pair[0], FD_SEND) >= 0 && dup2(pair[1], FD_RECEIVE) >= 0, "sockets");
	close(pair[0]);
	close(pair[1]);
}

static void start_worker(uint32_t process)
{
	pid_t pid = fork();

	if (!pid)
		_exit(worker_main(process, generations[process]));
	generations[process]++;
	shared->workers[process] = pid;
}

static void start_disturber(uint32_t number)
{
	struct worker worker = {.dice = dice_of(shared->round.seed, shared->round.number, ~0ULL, number)};

	if (fork())
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	disturbers[number].run(&worker);
	_exit(0);
}

/* A task that can't be killed is stuck in the kernel: nothing that comes after would end. */
static void wait_for_all(void)
{
	struct duty wait = {0};
	pid_t ended;

	begin_duty(&wait);
	while ((ended = waitpid(-1, NULL, WNOHANG)) >= 0 || errno != ECHILD) {
		if (ended > 0)
			continue;
		if (is_overdue(&wait)) {
			printf("not ok all processes end when they are killed\n");
			print_stuck();
			exit(1);
		}
		usleep(10000);
	}
}

/* Ends all workers and disturbers, and waits for them and for their orphaned children. */
static void end_all(void)
{
	uint32_t i;

	__atomic_store_n(&shared->stop, 1, __ATOMIC_RELAXED);
	usleep(300000);
	for (i = 0; i < PROCESSES; i++)
		if (shared->workers[i] > 1)
			kill(shared->workers[i], SIGKILL);
	wait_for_all();
	memset(shared->workers, 0, sizeof(shared->workers));
	/* Close sessions that are in unread messages. */
	close(FD_SEND);
	close(FD_RECEIVE);
}

static void storm(uint64_t end)
{
	struct round *round = &shared->round;
	struct dice dice = dice_of(round->seed, round->number, 1, 1);
	uint32_t i, disturbed = roll(&dice, 256) | 1u << SECOND_USER;
	pid_t pid;

	round->processes = 2 + roll(&dice, PROCESSES - 1);
	round->threads = 1 + roll(&dice, THREADS_MAX);
	round->inject = roll(&dice, 2);
	shared->bursts = 0;
	__atomic_store_n(&shared->stop, 0, __ATOMIC_RELAXED);
	printf("# round %" PRIu32 ": %" PRIu32 " processes of %" PRIu32 " threads%s", round->number,
	       round->processes, round->threads, round->inject ? ", failing allocations" : "");
	for (i = 0; disturbers[i].run; i++)
		if (disturbed >> i & 1)
			printf(", %s", disturbers[i].name);
	printf("\n");
	fflush(stdout);
	if (round->inject)
		fail_allocations(1 + roll(&dice, 10));
	/* Mostly expedite RCU; otherwise the guest would spend most of its time waiting for grace periods. */
	write_file("/sys/kernel/rcu_expedited", roll(&dice, 4) ? "1" : "0");
	for (i = 0; disturbers[i].run; i++)
		if (disturbed >> i & 1)
			start_disturber(i);
	for (i = 0; i < round->processes; i++)
		start_worker(i);
	while (seconds() < end) {
		while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
			for (i = 0; i < round->processes; i++)
				if (shared->workers[i] == pid)
					start_worker(i);
		usleep(50000);
	}
	end_all();
	restore_machine();
}

static unsigned int play_round(uint64_t end)
{
	unsigned int bad = 0;
	int error = load_module(MODULE);

	if (error && error != EEXIST) {
		printf("not ok load: %s\n", strerror(error));
		return 1;
	}
	if (shared->round.number % 4 == 0)
		inject_requests();
	connect_workers();
	storm(end);
	/* The round may have ended while the module was unloaded. */
	error = load_module(MODULE);
	if (error && error != EEXIST)
		printf("not ok load after the round: %s\n", strerror(error));
	bad += health_open();
	if (shared->unbalanced)
		printf("not ok second user: %" PRIu32 " of %" PRIu32 " accountings do not balance\n",
		       shared->unbalanced, shared->turns);
	bad += shared->unbalanced;
	shared->unbalanced = 0;
	error = unload_module();
	if (error)
		printf("not ok unload: %s\n", strerror(error));
	bad += health_closed();
	return bad;
}

static uint64_t requests_made(void)
{
	uint64_t sum = 0;
	unsigned int kind, error;

	for (kind = 0; kind < KINDS; kind++)
		for (error = 0; error < ERRNOS; error++)
			sum += shared->outcomes[kind][error];
	return sum;
}

static void report(void)
{
	static const char *const kinds[KINDS] = {"query", "configure", "attach", "detach",      "start",
						 "stop",  "stats",     "read",   "controllers", "unknown"};
	const struct action *action;
	unsigned int kind, error, i, number = 0, covered = 0;

	for (kind = 0; kind < KINDS; kind++) {
		printf("# %-10s", kinds[kind]);
		for (error = 0; error < ERRNOS; error++)
			if (shared->outcomes[kind][error])
				printf(" %s %" PRIu64, error ? strerrorname_np((int)error) : "done",
				       shared->outcomes[kind][error]);
		printf("\n");
	}
	printf("# steps:");
	for (i = 0; i < TABLES; i++)
		for (action = action_tables[i]; action->run; action++)
			printf(" %s %" PRIu64 ",", action->name, shared->steps[number++]);
	for (i = 0; i < COVER_BYTES; i++)
		covered += shared->covered[i];
	printf(" workers ended by a fault %" PRIu64 "\n# sessions of the second user: %" PRIu32
	       "\n# blocks reached in tasks: %u\n",
	       shared->crashes, shared->turns, covered);
}

static void fuzz(uint64_t length, uint64_t seed)
{
	uint64_t begin = seconds(), rounds = 0;
	struct dice dice = dice_of(seed, 0, 0, 0);

	/* Also sets which allocations may fail, and that the kernel does not log each failure. */
	restore_machine();
	while (seconds() < begin + length) {
		uint64_t left = begin + length - seconds(), now;

		shared->round.seed = seed;
		shared->round.number = (uint32_t)rounds;
		/* Try a part of the allocations where loading can fail. */
		inject_load(MODULE, 1 + 20 * (uint32_t)(rounds % 20), 20);
		now = 60 + roll(&dice, 120);
		if (play_round(seconds() + (now < left ? now : left)))
			printf("# in round %" PRIu64 " of seed %" PRIu64 "\n", rounds, seed);
		rounds++;
		printf("# after %" PRIu64 " s: %" PRIu64 " rounds, %" PRIu64 " requests\n", seconds() - begin,
		       rounds, requests_made());
		fflush(stdout);
	}
	report();
	printf("fuzz: seed %" PRIu64 " seconds %" PRIu64 " rounds %" PRIu64 " requests %" PRIu64 "\n", seed,
	       seconds() - begin, rounds, requests_made());
}

int main(int argc, char **argv)
{
	struct rlimit none = {0, 0};

	setrlimit(RLIMIT_CORE, &none);
	if (argc == 4 && !strcmp(argv[1], "worker")) {
		map_shared();
		return worker_main((uint32_t)atoi(argv[2]), strtoull(argv[3], NULL, 10));
	}
	if (argc != 3) {
		fprintf(stderr, "usage: fuzz SECONDS SEED\n");
		return 2;
	}
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	share();
	map_shared();
	fuzz(strtoull(argv[1], NULL, 10), strtoull(argv[2], NULL, 10));
	return 0;
}
