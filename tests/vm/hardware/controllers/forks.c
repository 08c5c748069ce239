// SPDX-License-Identifier: BSD-3-Clause
/*
 * Forks while a companion of the library reads counters by perf, and the program has descriptors of the same numbers that look the same. usage: forks,
 * under a limit of 4096 descriptors
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "traffic.h"

#define FIRST 1024
#define LAST  1200

static bool is_own[LAST]; /* a descriptor of the program, not of the library */

/* Returns the largest number of an event of perf that the task has; -1: none. */
static int largest_event_of(const char *task)
{
	char path[64], target[64];
	int fd, largest = -1;
	ssize_t length;

	for (fd = FIRST; fd < LAST; fd++) {
		snprintf(path, sizeof(path), "/proc/%.16s/fd/%d", task, fd);
		length = readlink(path, target, sizeof(target));
		if (length > 0 && memmem(target, (size_t)length, "perf_event", 10))
			largest = fd;
	}
	return largest;
}

/* The same of the library's companions, which are processes of their own. */
static int largest_event(void)
{
	char path[64], name[16];
	DIR *tasks = opendir("/proc");
	struct dirent *task;
	int fd, largest = -1;
	FILE *file;

	while ((task = readdir(tasks))) {
		snprintf(path, sizeof(path), "/proc/%.16s/comm", task->d_name);
		file = fopen(path, "r");
		if (file && fgets(name, sizeof(name), file) && !strncmp(name, "memphis-", 8) &&
		    (fd = largest_event_of(task->d_name)) > largest)
			largest = fd;
		if (file)
			fclose(file);
	}
	closedir(tasks);
	return largest;
}

int main(void)
{
	int event = eventfd(0, 0), largest, before = -1, status, fd, tries;
	unsigned int own = 0;
	pid_t child;

	for (tries = 0; tries < 600 && ((largest = largest_event()) < 0 || largest != before); tries++) {
		before = largest;
		usleep(100000);
	}
	while ((fd = fcntl(event, F_DUPFD, FIRST)) >= 0 && fd < largest)
		own += is_own[fd] = true;
	check("forks: the program has numbers of the companion", own > 10);
	child = fork();
	if (!child) {
		for (fd = FIRST; fd <= largest; fd++)
			if (is_own[fd] && fcntl(fd, F_GETFD) < 0)
				_exit(1);
		_exit(0);
	}
	need(child > 0 && waitpid(child, &status, 0) == child, "fork");
	check_equal("forks: a child has all descriptors of its program", (uint64_t)status, 0);
	return 0;
}
