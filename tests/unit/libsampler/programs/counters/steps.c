/* SPDX-License-Identifier: BSD-3-Clause */
/* Performs the steps that its arguments name, in order, while the library reads counters. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <memphis.h>

static void nap(void)
{
	const struct timespec moment = {.tv_nsec = 5000000};

	nanosleep(&moment, NULL);
}

/* Touches `text` pages for the first time: a page fault each. */
static void *touch(void *text)
{
	long pages = atol(text), i;
	char *start =
		mmap(NULL, (size_t)pages * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (start == MAP_FAILED || madvise(start, (size_t)pages * 4096, MADV_NOHUGEPAGE))
		abort();
	for (i = 0; i < pages; i++)
		start[4096 * i] = 1;
	munmap(start, (size_t)pages * 4096);
	return NULL;
}

static void in_thread(void *(*routine)(void *), void *argument)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, routine, argument) || pthread_join(thread, NULL))
		abort();
}

/* Opens a caliper and ends the thread with it open. */
static void *hold(void *name)
{
	memphis_begin(name);
	return NULL;
}

/* Prints to the buffered stream shortly before the process ends, as the last thread. */
static void *say_late(void *text)
{
	nap();
	puts(text);
	return NULL;
}

/* Writes to a device that takes all; the kernel counts the characters. */
static int write_megabytes(int count)
{
	static char megabyte[1000000];
	int file = open("/dev/zero", O_WRONLY);

	while (count-- > 0)
		if (write(file, megabyte, sizeof(megabyte)) != sizeof(megabyte))
			return -1;
	return close(file);
}

int main(int count, char **arguments)
{
	int i;

	for (i = 1; i < count; i++) {
		const char *what = arguments[i];
		char *with = i + 1 < count ? arguments[i + 1] : NULL;

		if (!strcmp(what, "begin")) {
			memphis_begin(with);
		} else if (!strcmp(what, "end")) {
			memphis_end(with);
		} else if (!strcmp(what, "made")) {
			close(open(with, O_WRONLY | O_CREAT, 0666));
		} else if (!strcmp(what, "await")) {
			while (access(with, F_OK))
				nap();
		} else if (!strcmp(what, "touch")) {
			touch(with);
		} else if (!strcmp(what, "sleep")) {
			usleep((useconds_t)atoi(with) * 1000);
		} else if (!strcmp(what, "write")) {
			if (write_megabytes(atoi(with)))
				return 4;
		} else if (!strcmp(what, "thread-touch")) {
			in_thread(touch, with);
		} else if (!strcmp(what, "thread-begin")) {
			in_thread(hold, with);
		} else if (!strcmp(what, "leave")) {
			pthread_t thread;

			if (pthread_create(&thread, NULL, say_late, with) || pthread_detach(thread))
				return 4;
			pthread_exit(NULL);
		} else if (!strcmp(what, "exec")) {
			arguments[i] = arguments[0];
			execv(arguments[0], arguments + i);
			return 3;
		} else if (!strcmp(what, "fork")) {
			pid_t child = fork();
			int status;

			/* The child performs the remaining steps. It must be the only child: the library's helpers must not be children. */
			if (child) {
				if (wait(&status) != child || wait(&status) != -1)
					return 4;
				printf("%d\n", (int)child);
				return WEXITSTATUS(status);
			}
			continue;
		} else if (!strcmp(what, "abort")) {
			abort();
		} else if (!strcmp(what, "wait")) {
			/* Processes that the library has started must not be children of the program. */
			if (waitpid(-1, &i, WNOHANG) != -1)
				return 4;
			continue;
		} else {
			return 2;
		}
		i++;
	}
	return 0;
}
