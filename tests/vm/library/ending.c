/* SPDX-License-Identifier: BSD-3-Clause */
/* Works inside a caliper for a while, then ends as its argument selects. */
#define _GNU_SOURCE
#include <memphis.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BYTES (4u << 20)

static char *array, *volatile fresh;

/* Memory with pages of its own: pages that are only read are all the same one, which stays in the caches. */
static char *touched(void)
{
	char *memory = malloc(BYTES);

	return memory ? memset(memory, 1, BYTES) : NULL;
}

__attribute__((noinline)) static long walk(int times)
{
	long sum = 0;
	size_t i;

	while (times--)
		for (i = 0; i < BYTES; i += 64)
			sum += *(volatile char *)&array[i];
	return sum;
}

static void in_child(void)
{
	size_t i;

	if (memphis_begin("Child"))
		_exit(1);
	walk(100);
	fresh = malloc(BYTES);
	for (i = 0; i < BYTES; i += 4096)
		fresh[i] = 1;
	memphis_end("Child");
	exit(4);
}

static int wait_for(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static volatile pid_t companion;
static volatile int dismissed;

static void *accompany(void *unused)
{
	companion = gettid();
	while (!dismissed)
		walk(1);
	return unused;
}

/*
 * Closes everything and reuses the descriptor numbers, as daemons do. A thread ends when the device can no
 * longer report it.
 */
static void close_all(void)
{
	struct timespec now;
	pthread_t thread;
	int count;

	if (pthread_create(&thread, NULL, accompany, NULL) || pthread_detach(thread))
		exit(2);
	while (!companion)
		usleep(1000);
	printf("companion %d\n", (int)companion);
	closefrom(3);
	clock_gettime(CLOCK_MONOTONIC, &now);
	printf("closed %lld%09ld\n", (long long)now.tv_sec, now.tv_nsec);
	for (count = 0; count < 700; count++)
		if (dup(1) < 0)
			break;
	walk(100);
	dismissed = 1;
	while (!syscall(SYS_tgkill, getpid(), companion, 0))
		usleep(1000);
}

static void *end_at_once(void *unused)
{
	return unused;
}

/* Threads that end one after the other, more of them in a pass of the drain than descriptors or locked memory allow at a time. */
static void short_threads(void)
{
	pthread_t thread;
	int i;

	for (i = 0; i < 60; i++)
		if (pthread_create(&thread, NULL, end_at_once, NULL) || pthread_join(thread, NULL))
			exit(2);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "return";
	pid_t pid;

	array = touched();
	if (memphis_begin("Work"))
		return 1;
	walk(100);
	if (!strcmp(how, "fork")) {
		pid = fork();
		if (!pid)
			in_child();
		printf("child %d %d\n", (int)pid, wait_for(pid));
		walk(100);
	} else if (!strcmp(how, "raw-fork")) {
		pid = (pid_t)syscall(SYS_fork);
		if (!pid)
			in_child();
		printf("child %d %d\n", (int)pid, wait_for(pid));
		walk(100);
	} else if (!strcmp(how, "exec")) {
		execl("/proc/self/exe", argv[0], "return", (char *)NULL);
	} else if (!strcmp(how, "kill")) {
		usleep(2500000); /* until all samples have been written */
		raise(SIGKILL);
	} else if (!strcmp(how, "_exit")) {
		memphis_flush();
		_exit(3);
	} else if (!strcmp(how, "close-all")) {
		close_all();
	} else if (!strcmp(how, "short-threads")) {
		short_threads();
	}
	return memphis_end("Work") ? 1 : 7;
}
