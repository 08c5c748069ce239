/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Forks COUNT times while three threads are inside a part of the C library that has locks. A child that is made while the library
 * holds one of them must not wait for it.
 * usage: forks MODE COUNT
 */
#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <sys/time.h>

#include "common.h"

#define THREADS 3

static void *use_allocator(void *none)
{
	void *blocks[50] = {NULL};
	unsigned int seed = 1 + (unsigned int)(size_t)none, at;

	for (;;) {
		at = (unsigned int)rand_r(&seed) % 50;
		free(blocks[at]);
		blocks[at] = malloc((size_t)rand_r(&seed) % 70000 + 1);
		must(blocks[at]);
		*(volatile char *)blocks[at] = 1;
	}
	return NULL;
}

static void *use_loader(void *none)
{
	for (;;) {
		void *library = dlopen("libresolv.so.2", RTLD_NOW);

		must(library);
		dlclose(library);
	}
	return none;
}

static int look_at_object(struct dl_phdr_info *info, size_t size, void *sum)
{
	volatile int i;

	(void)size;
	for (i = 0; i < 1500; i++)
		*(size_t *)sum += info->dlpi_phnum;
	return 0;
}

static void *list_objects(void *none)
{
	size_t sum = 0;

	for (;;)
		dl_iterate_phdr(look_at_object, &sum);
	return none;
}

static void *use_streams(void *none)
{
	for (;;) {
		FILE *stream = fopen("/dev/null", "w");

		must(stream);
		fprintf(stream, "%s", "text");
		fclose(stream);
	}
	return none;
}

static void *use_symbols(void *none)
{
	for (;;)
		must(dlsym(RTLD_DEFAULT, "printf"));
	return none;
}

static void *nothing(void *none)
{
	return none;
}

static void *make_threads(void *none)
{
	for (;;) {
		pthread_t thread;

		must(!pthread_create(&thread, NULL, nothing, NULL));
		pthread_join(thread, NULL);
	}
	return none;
}

static void start(void *(*run)(void *))
{
	pthread_t thread;
	size_t i;

	for (i = 0; i < THREADS; i++)
		must(!pthread_create(&thread, NULL, run, (void *)i));
}

/* Makes children one after another: one that executes another program, one that uses the allocator and exits. */
static int fork_beside(void *(*run)(void *), int count)
{
	int i, status;

	start(run);
	for (i = 0; i < count; i++) {
		pid_t child = fork();

		must(child >= 0);
		if (child == 0 && i % 2) {
			execl("/bin/true", "true", (char *)NULL);
			_exit(9);
		}
		if (child == 0) {
			free(malloc(100000));
			_exit(0);
		}
		must(waitpid(child, &status, 0) == child);
		if (status)
			printf("child %d: status %#x\n", i, status);
	}
	printf("%d children\n", count);
	fflush(stdout);
	_exit(0);
}

static int beside_allocator(int count)
{
	return fork_beside(use_allocator, count);
}

static int beside_loader(int count)
{
	return fork_beside(use_loader, count);
}

static int beside_list(int count)
{
	return fork_beside(list_objects, count);
}

static int beside_streams(int count)
{
	return fork_beside(use_streams, count);
}

static int beside_symbols(int count)
{
	return fork_beside(use_symbols, count);
}

static int beside_threads(int count)
{
	return fork_beside(make_threads, count);
}

/* Threads that fork at the same time. */
static void *fork_often(void *count)
{
	int i, status;

	for (i = 0; i < (int)(size_t)count; i++) {
		pid_t child = fork();

		must(child >= 0);
		if (child == 0)
			_exit(3);
		must(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 3);
	}
	return NULL;
}

static int in_threads(int count)
{
	pthread_t threads[4];
	int i;

	for (i = 0; i < 4; i++)
		must(!pthread_create(&threads[i], NULL, fork_often, (void *)(size_t)count));
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	printf("%d children\n", 4 * count);
	return 0;
}

/* A child of a child of a child ..., each of which starts a thread. */
static int chain(int depth)
{
	pthread_t thread;
	pid_t child;
	int status = 0;

	must(!pthread_create(&thread, NULL, nothing, NULL));
	pthread_join(thread, NULL);
	if (depth == 0) {
		usleep(50000); /* until then, its ancestors live, too, so that they are recorded */
		return 0;
	}
	child = fork();
	must(child >= 0);
	if (child == 0)
		exit(chain(depth - 1));
	must(waitpid(child, &status, 0) == child);
	return WEXITSTATUS(status) + 1;
}

static int is_killed_in_fork, workers_run;
static volatile int stop;
static pthread_t workers[THREADS];

static void *work(void *none)
{
	while (!stop)
		free(malloc(1000));
	return none;
}

static void start_workers(void)
{
	size_t i;

	stop = 0;
	for (i = 0; i < THREADS; i++)
		must(!pthread_create(&workers[i], NULL, work, NULL));
	workers_run = 1;
}

/* As OpenBLAS does. */
static void join_workers(void)
{
	size_t i;

	stop = 1;
	for (i = 0; i < THREADS; i++)
		pthread_join(workers[i], NULL);
	workers_run = 0;
}

/* The handlers of fork() join threads that are just starting. */
static int join_in_fork(int count)
{
	int i;

	for (i = 0; i < count; i++) {
		pid_t child;

		start_workers();
		child = fork();
		must(child >= 0);
		if (child == 0)
			_exit(0);
		must(waitpid(child, NULL, 0) == child);
	}
	printf("%d children\n", count);
	return 0;
}

static void fork_in_handler(int number)
{
	pid_t child = fork();

	(void)number;
	must(child >= 0);
	if (child == 0)
		_exit(0);
	must(waitpid(child, NULL, 0) == child);
}

/* A handler of a signal that interrupts fork() forks, too. The copying of memory makes fork() last some time. */
static int in_handler(int count)
{
	const size_t bytes = 64 << 20;
	char *memory = malloc(bytes);
	int i;

	must(memory);
	memset(memory, 1, bytes);
	signal(SIGALRM, fork_in_handler);
	for (i = 0; i < count; i++) {
		struct itimerval soon = {.it_value.tv_usec = 1 + i % 20 * 50};
		pid_t child;

		must(!setitimer(ITIMER_REAL, &soon, NULL));
		child = fork();
		must(child >= 0);
		if (child == 0)
			_exit(0);
		while (waitpid(child, NULL, 0) < 0)
			must(errno == EINTR);
	}
	puts("forked in handlers");
	return 0;
}

static void prepare_fork(void)
{
	if (workers_run)
		join_workers();
	if (is_killed_in_fork) {
		usleep(200000); /* for what else needs the locks to begin its wait for them */
		raise(SIGKILL);
	}
}

/* Registered before the handlers of all libraries, so that it is called after them, when they hold their locks. */
static void register_first(void)
{
	pthread_atfork(prepare_fork, NULL, NULL);
}

__attribute__((used, section(".preinit_array"))) static void (*const first)(void) = register_first;

/* Kills itself in a handler of fork(), while the library holds its locks. */
static int killed(int none)
{
	usleep(100000);
	is_killed_in_fork = 1;
	return none + fork();
}

/* Children that do nothing but compute, and one that only sleeps, until they are killed. */
static int computing(int count)
{
	int i;

	for (i = 0; i <= count; i++) {
		pid_t child = fork();
		clock_t until = clock() + CLOCKS_PER_SEC / 4;

		must(child >= 0);
		if (child == 0) {
			while (i < count && clock() < until)
				;
			usleep(i < count ? 0 : 100000);
			kill(getpid(), SIGKILL);
		}
		must(waitpid(child, NULL, 0) == child);
	}
	printf("%d children\n", count);
	return 0;
}

static const struct mode modes[] = {
	{"allocator", beside_allocator},
	{"computing", computing},
	{"loader", beside_loader},
	{"list", beside_list},
	{"streams", beside_streams},
	{"symbols", beside_symbols},
	{"threads", beside_threads},
	{"in-threads", in_threads},
	{"chain", chain},
	{"killed", killed},
	{"join", join_in_fork},
	{"in-handler", in_handler},
	{NULL, NULL},
};

int main(int argc, char **argv)
{
	return run_mode(modes, argc, argv);
}
