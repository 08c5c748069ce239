/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A hanging file system: pwrite() of the library does not return until the program allows it. Meanwhile the program forks, creates a
 * thread, and opens calipers, also in the child. Prints its progress.
 *	hung process	writing the process file hangs
 *	hung ended	writing the thread file of a thread that has ended hangs, while the file is closed
 *	hung start	writing the process file hangs, while another thread opens the first caliper
 *	hung answers	writing the process file hangs; prints what memphis_name() and memphis_flush() return meanwhile
 */
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memphis.h>

#include "../../../../../libsampler/base/stand_ins.h"

void idle_exited(pid_t tid); /* idle_device.c */

static char hung_name[64]; /* part of the name of the file that hangs; empty: none */
static sem_t hangs, goes_on;
static pid_t ended_tid;
static void *kept;

/* Interposed before the C library's function, also for libmemphis. */
ssize_t pwrite(int fd, const void *from, size_t bytes, off_t offset)
{
	char link[32], path[4096];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, sizeof(path) - 1);
	path[length > 0 ? length : 0] = '\0';
	if (hung_name[0] && strstr(path, hung_name)) {
		hung_name[0] = '\0';
		sem_post(&hangs);
		while (sem_wait(&goes_on))
			;
	}
	return syscall(SYS_pwrite64, fd, from, bytes, offset);
}
MEMPHIS_STAND_IN(pwrite)

static void *flush(void *unused)
{
	memphis_flush();
	return unused;
}

static void *allocate(void *unused)
{
	ended_tid = (pid_t)syscall(SYS_gettid);
	kept = malloc(100000);
	return unused;
}

static void *caliper(void *unused)
{
	printf("thread %d", memphis_begin("Thread"));
	printf(" %d\n", memphis_end("Thread"));
	return unused;
}

/* Opens the first caliper, during which the child is created. */
static void *start(void *unused)
{
	printf("started %d", memphis_begin("Start"));
	printf(" %d\n", memphis_end("Start"));
	return unused;
}

static void in_thread(void *(*routine)(void *))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, routine, NULL) || pthread_join(thread, NULL))
		exit(1);
}

static int child(void)
{
	void *block;

	printf("child %d", memphis_begin("Child"));
	block = malloc(200000);
	printf(" %d", memphis_flush());
	free(block);
	printf(" %d\n", memphis_end("Child"));
	return 5;
}

/* Adds names until the queue of names is full; after the file system continues, a name is accepted again. */
static void ask(void)
{
	int i, named = 0, err = 0;

	for (i = 0; i < 70000 && !err; i++) {
		err = memphis_name(kept, 100000, "kept");
		named += !err;
	}
	printf("%d names, then %d\n", named, err);
	printf("flush %d\n", memphis_flush());
	sem_post(&goes_on);
	printf("flush %d, ", memphis_flush());
	printf("name %d\n", memphis_name(kept, 100000, "kept"));
	printf("wrong %d %d %d\n", memphis_name(NULL, 1, "x"), memphis_name(kept, 0, "x"),
	       memphis_name(kept, 1, ""));
	exit(0);
}

int main(int argc, char **argv)
{
	void *(*routine)(void *) = flush;
	pthread_t other;
	int status;
	pid_t pid;

	setvbuf(stdout, NULL, _IOLBF, 0);
	sem_init(&hangs, 0, 0);
	sem_init(&goes_on, 0, 0);
	if (argc > 1 && !strcmp(argv[1], "start")) {
		routine = start;
	} else {
		memphis_begin("Work");
		in_thread(allocate);
		memphis_flush();
	}
	if (argc > 1 && !strcmp(argv[1], "ended")) {
		snprintf(hung_name, sizeof(hung_name), ".%d.thread.memphis", (int)ended_tid);
		idle_exited(ended_tid);
	} else {
		strcpy(hung_name, ".process.memphis");
	}
	if (pthread_create(&other, NULL, routine, NULL))
		return 1;
	while (sem_wait(&hangs))
		;
	puts("hangs");
	if (argc > 1 && !strcmp(argv[1], "answers"))
		ask();
	pid = fork();
	if (!pid)
		exit(child());
	if (waitpid(pid, &status, 0) != pid)
		return 1;
	printf("child ended with %d\n", WEXITSTATUS(status));
	if (routine == flush) {
		in_thread(caliper);
		memphis_end("Work");
		printf("again %d", memphis_begin("Again"));
		printf(" %d\n", memphis_end("Again"));
	}
	sem_post(&goes_on);
	pthread_join(other, NULL);
	puts("went on");
	free(kept);
	return 0;
}
