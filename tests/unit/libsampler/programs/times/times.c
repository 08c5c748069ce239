// SPDX-License-Identifier: BSD-3-Clause
/*
 * Opens calipers and reads the clock just outside and just inside of each. Prints a line for each region: its path, the calls, and the sums of
 * both times in ns, between which the time of the region must be. The way `counted` does the same with the instructions in user mode, which it
 * has the kernel count; 0 if there are no counters. The way `turns` executes a known number of instructions. usage: times WAY
 */
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <memphis.h>

#define THREADS 3

struct timer {
	const char *name, *path;
	long calls, inside, outside, outer, inner; /* the last two: when the open caliper was begun */
};

static long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000 + t.tv_nsec;
}

static int counter = -1;

static long instructions(void)
{
	long count;

	return read(counter, &count, sizeof(count)) == sizeof(count) ? count : 0;
}

static long (*reading)(void) = now;

static void start(struct timer *timer)
{
	timer->outer = reading();
	memphis_begin(timer->name);
	timer->inner = reading();
	timer->calls++;
}

static void stop(struct timer *timer)
{
	long inner = reading();

	memphis_end(timer->name);
	timer->outside += reading() - timer->outer;
	timer->inside += inner - timer->inner;
}

static void show(const struct timer *timer)
{
	printf("%s %ld %ld %ld\n", timer->path, timer->calls, timer->inside, timer->outside);
}

static void work(long ns)
{
	long end = now() + ns;

	while (now() < end)
		;
}

static __attribute__((noinline, noclone)) void recurse(struct timer *timer, int depth)
{
	start(timer);
	if (depth > 1)
		recurse(timer + 1, depth - 1);
	work(100);
	stop(timer);
}

/* Siblings, a region inside another one, and a region inside itself. */
static void nested(void)
{
	struct timer run = {"Run", "Run"}, step = {"Step", "Run/Step"}, solve = {"Solve", "Run/Step/Solve"},
		     again[3] = {{"Solve", "Run/Solve"},
				 {"Solve", "Run/Solve/Solve"},
				 {"Solve", "Run/Solve/Solve/Solve"}};
	int i, j;

	for (i = 0; i < 300; i++) {
		start(&run);
		for (j = 0; j < 5; j++) {
			start(&step);
			start(&solve);
			work(200);
			stop(&solve);
			start(&solve);
			stop(&solve);
			stop(&step);
		}
		recurse(again, 3);
		stop(&run);
	}
	show(&run);
	show(&step);
	show(&solve);
	for (j = 0; j < 3; j++)
		show(&again[j]);
}

/* 1000 calls, each of 3000 instructions and those of the library's own code between its readings of the counters. */
static void turns(void)
{
	const long own = 3000000, library = 5000000;
	struct timer run = {"Run", "Run"}, turn = {"Turn", "Run/Turn"};
	long i, left;

	start(&run);
	for (i = 0; i < 1000; i++) {
		start(&turn);
		left = 1000;
		__asm__ volatile("1: nop\n\tsub $1, %0\n\tjnz 1b" : "+r"(left) : : "cc");
		stop(&turn);
	}
	stop(&run);
	turn.inside = run.inside = own;
	turn.outside = own + library;
	run.outside = own + 2 * library;
	show(&run);
	show(&turn);
}

static void counted(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_HW_INSTRUCTIONS,
				       .exclude_kernel = 1,
				       .exclude_hv = 1};

	counter = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	reading = instructions;
	nested();
}

/* Ends the outer caliper first: the other one is then at the top level, without a call. */
static void overlapped(void)
{
	struct timer a = {"A", "A"}, b = {"B", "A/B"}, moved = {"B", "B"};

	start(&a);
	start(&b);
	work(2000);
	b.inside = now() - b.inner;
	stop(&a);
	moved.inner = now();
	b.outside = moved.inner - b.outer;
	work(3000);
	moved.inside = now() - moved.inner;
	memphis_end("B");
	/* It began at an unknown time while A was ended. */
	moved.outside = now() - moved.inner + a.outside;
	show(&a);
	show(&b);
	show(&moved);
}

static pthread_barrier_t all;

/* Every thread has its own numbers; the last one ends inside its calipers. */
static void *in_thread(void *number)
{
	struct timer *timer = number;
	struct timer outer = {"Thread", "Thread"};
	int i, count = (int)timer->calls;

	timer->calls = 0;
	pthread_barrier_wait(&all);
	start(&outer);
	for (i = 0; i < count; i++) {
		start(timer);
		work(500);
		if (i < 7)
			stop(timer);
	}
	if (count <= 7)
		stop(&outer);
	else
		timer->inside += now() - timer->inner;
	return NULL;
}

static void threads(void)
{
	/* 5, 6 and 8 calls: the eighth is not ended. */
	struct timer timers[THREADS] = {
		{"Work", "Thread/Work", 5}, {"Work", "Thread/Work", 6}, {"Work", "Thread/Work", 8}};
	struct timer sum = {"Work", "Thread/Work"};
	pthread_t thread[THREADS];
	int i;

	pthread_barrier_init(&all, NULL, THREADS);
	for (i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, in_thread, &timers[i]);
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	timers[2].outside += now() - timers[2].outer;
	for (i = 0; i < THREADS; i++) {
		sum.calls += timers[i].calls;
		sum.inside += timers[i].inside;
		sum.outside += timers[i].outside;
	}
	show(&sum);
}

/* A pause ends the sampling, not the time. */
static void paused(void)
{
	struct timer run = {"Run", "Run"}, step = {"Step", "Run/Step"};

	start(&run);
	memphis_pause();
	start(&step);
	work(2000000);
	stop(&step);
	memphis_resume();
	stop(&run);
	show(&run);
	show(&step);
}

/* The child has neither the parent's numbers nor its open caliper. */
static void forked(void)
{
	struct timer run = {"Run", "Run"}, child = {"Child", "Child"};
	int i;

	start(&run);
	fflush(stdout);
	if (fork()) {
		wait(NULL);
		stop(&run);
		printf("pid %d\n", (int)getpid());
		show(&run);
		return;
	}
	for (i = 0; i < 3; i++) {
		start(&child);
		work(1000);
		stop(&child);
	}
	printf("pid %d\n", (int)getpid());
	show(&child);
	fflush(stdout);
}

static void left_open(void)
{
	struct timer run = {"Run", "Run"}, step = {"Step", "Run/Step"};

	start(&run);
	start(&step);
	work(5000000);
	step.inside = now() - step.inner;
	run.inside = step.inside;
	/* The end of the process is not much later than an hour. */
	run.outside = step.outside = 3600000000000;
	show(&run);
	show(&step);
}

/* Ends when it is killed. */
static void endless(void)
{
	struct timer run = {"Run", "Run"}, step = {"Step", "Run/Step"};

	start(&run);
	start(&step);
	stop(&step);
	start(&step);
	for (;;)
		pause();
}

int main(int count, char **arguments)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} ways[] = {{"nested", nested},         {"counted", counted},     {"turns", turns},
		    {"overlapped", overlapped}, {"threads", threads},     {"paused", paused},
		    {"forked", forked},         {"left_open", left_open}, {"endless", endless}};
	size_t i;

	for (i = 0; count == 2 && i < sizeof(ways) / sizeof(*ways); i++)
		if (!strcmp(ways[i].name, arguments[1])) {
			ways[i].run();
			return 0;
		}
	return 2;
}
