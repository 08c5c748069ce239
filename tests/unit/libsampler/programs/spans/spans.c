// SPDX-License-Identifier: BSD-3-Clause
/*
 * Opens calipers and reads the clock just outside and just inside of each. Prints a line for each ended caliper: the path of its region, and
 * the times between which its span must begin and end. usage: spans WAY
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <memphis.h>

struct timer {
	const char *name, *path;
	long from, to; /* the caliper was begun in between */
};

static long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000 + t.tv_nsec;
}

static void start(struct timer *timer)
{
	timer->from = now();
	memphis_begin(timer->name);
	timer->to = now();
}

static void stop(const struct timer *timer)
{
	const long from = now();

	memphis_end(timer->name);
	printf("%s %ld %ld %ld %ld\n", timer->path, timer->from, timer->to, from, now());
}

static struct timer run = {"Run", "Run"}, step = {"Step", "Run/Step"}, solve = {"Solve", "Run/Step/Solve"};

static void nested(void)
{
	int i, j;

	for (i = 0; i < 20; i++) {
		start(&run);
		for (j = 0; j < 3; j++) {
			start(&step);
			start(&solve);
			stop(&solve);
			stop(&step);
		}
		stop(&run);
	}
}

/* A recursion, whose regions differ, and a caliper that was left, whose site opens the next one. */
static __attribute__((noinline, noclone)) void recurse(int depth)
{
	static struct timer again[2] = {{"Again", "Again/Again"}, {"Again", "Again"}};

	start(&again[depth]);
	if (depth)
		recurse(depth - 1);
	stop(&again[depth]);
}

/* The inner caliper ends after the outer one: it is two spans. */
static void overlapped(void)
{
	struct timer a = {"A", "A"}, b = {"B", "A/B"};
	long from, to, end;

	start(&a);
	start(&b);
	from = now();
	memphis_end("A");
	to = now();
	printf("A %ld %ld %ld %ld\nA/B %ld %ld %ld %ld\n", a.from, a.to, from, to, b.from, b.to, from, to);
	end = now();
	memphis_end("B");
	printf("B %ld %ld %ld %ld\n", from, to, end, now());
}

/* Not ended; the same call site begins it again. */
static void left(void)
{
	long from[3], to[3], end;
	int i;

	for (i = 0; i < 3; i++) {
		from[i] = now();
		memphis_begin("Left");
		to[i] = now();
	}
	end = now();
	memphis_end("Left");
	printf("Left %ld %ld %ld %ld\nLeft %ld %ld %ld %ld\nLeft %ld %ld %ld %ld\n", from[0], to[0], from[1],
	       to[1], from[1], to[1], from[2], to[2], from[2], to[2], end, now());
}

static void *in_thread(void *argument)
{
	struct timer thread = {"Thread", "Thread"}, work = {"Work", "Thread/Work"};

	(void)argument;
	start(&thread);
	start(&work);
	stop(&work);
	/* Not ended. */
	printf("Thread %ld %ld %ld %ld\n", thread.from, thread.to, now(), now() + 1000000000);
	return NULL;
}

static void threads(void)
{
	pthread_t thread;
	int i;

	for (i = 0; i < 3; i++) {
		pthread_create(&thread, NULL, in_thread, NULL);
		pthread_join(thread, NULL);
	}
}

/* The child inherits an open caliper, of which it has no span. */
static void forked(void)
{
	struct timer child = {"Child", "Child"};
	pid_t pid;

	start(&run);
	start(&step);
	stop(&step);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		start(&child);
		stop(&child);
		printf("pid %d\n", (int)getpid());
		return;
	}
	waitpid(pid, NULL, 0);
	stop(&run);
}

/* Open when the program ends. */
static void left_open(void)
{
	start(&run);
	start(&step);
	start(&solve);
	stop(&solve);
}

/* Inner calipers, as fast as they can be, in a thread that the drain can't follow. */
static void many(void)
{
	long i;

	start(&run);
	for (i = 0; i < 4000000; i++) {
		memphis_begin("Step");
		memphis_end("Step");
	}
	stop(&run);
}

static volatile sig_atomic_t signals;

static void on_signal(int number)
{
	(void)number;
	memphis_begin("Signal");
	memphis_end("Signal");
	signals++;
}

/* A timer's signals hit calipers in any state. */
static void signalled(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
	const struct itimerspec often = {{0, 50000}, {0, 50000}};
	timer_t timer;

	signal(SIGUSR1, on_signal);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	memphis_begin("Run");
	timer_settime(timer, 0, &often, NULL);
	while (signals < 2000) {
		memphis_begin("Step");
		memphis_end("Step");
	}
	timer_delete(timer);
	memphis_end("Run");
	printf("signals %d\n", (int)signals);
}

static void endless(void)
{
	memphis_begin("Run");
	memphis_begin("Step");
	memphis_end("Step");
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*go)(void);
	} ways[] = {{"nested", nested},   {"overlapped", overlapped}, {"left", left},
		    {"threads", threads}, {"forked", forked},         {"left_open", left_open},
		    {"many", many},       {"endless", endless},       {"signalled", signalled}};
	size_t i;

	for (i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (argc == 2 && !strcmp(argv[1], ways[i].name)) {
			ways[i].go();
			if (ways[i].go == nested)
				recurse(1);
			return 0;
		}
	return 2;
}
