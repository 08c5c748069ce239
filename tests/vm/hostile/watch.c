// SPDX-License-Identifier: BSD-3-Clause
/* Implementation of watch.h. */
#define _GNU_SOURCE
#include "watch.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STACKS 32

/* Tasks with the same stack. */
struct place {
	char stack[640], name[32], state[32];
	unsigned int tasks;
};

unsigned int patience(void)
{
	const char *seconds = getenv("PATIENCE");

	return seconds ? (unsigned int)atoi(seconds) : 120;
}

uint64_t milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000 + 1;
}

void begin_duty(struct duty *duty)
{
	__atomic_store_n(&duty->begun, milliseconds(), __ATOMIC_RELEASE);
}

void end_duty(struct duty *duty)
{
	uint64_t took = milliseconds() - duty->begun;

	if (took > duty->longest)
		duty->longest = took;
	duty->count++;
	__atomic_store_n(&duty->begun, 0, __ATOMIC_RELEASE);
}

bool is_overdue(const struct duty *duty)
{
	uint64_t begun = __atomic_load_n(&duty->begun, __ATOMIC_ACQUIRE);

	return begun && milliseconds() > begun + patience() * 1000ULL;
}

/* Reads the start of a file of /proc/PID/task/TID; it is empty if the task has ended. */
static void read_of_task(const char *task, const char *name, char *text, size_t bytes)
{
	char path[320];
	ssize_t got = -1;
	int file;

	snprintf(path, sizeof(path), "%s/%s", task, name);
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file >= 0) {
		got = read(file, text, bytes - 1);
		close(file);
	}
	text[got > 0 ? got : 0] = 0;
}

static void copy_line(const char *status, const char *key, char *value, size_t bytes)
{
	const char *line = strstr(status, key);

	snprintf(value, bytes, "%.*s", line ? (int)strcspn(line + strlen(key), "\n") : 0,
		 line ? line + strlen(key) : "");
}

static void add_task(const char *task, struct place *places)
{
	char status[512], state[32], stack[640];

	read_of_task(task, "status", status, sizeof(status));
	copy_line(status, "State:\t", state, sizeof(state));
	/* A task that runs may be in an endless loop of the kernel. */
	if (*state != 'D' && *state != 'R')
		return;
	read_of_task(task, "stack", stack, sizeof(stack));
	for (unsigned int i = 0; i < STACKS; i++) {
		if (!places[i].tasks) {
			snprintf(places[i].stack, sizeof(places[i].stack), "%s", stack);
			snprintf(places[i].state, sizeof(places[i].state), "%s", state);
			copy_line(status, "Name:\t", places[i].name, sizeof(places[i].name));
		}
		if (!strcmp(places[i].stack, stack) && *places[i].state == *state) {
			places[i].tasks++;
			return;
		}
	}
}

/* Calls the function with the path of each numbered entry of a directory. */
static void each_number(const char *path, void (*visit)(const char *entry, void *argument), void *argument)
{
	DIR *directory = opendir(path);
	char name[300];

	for (struct dirent *entry; directory && (entry = readdir(directory));) {
		if (!isdigit(*entry->d_name))
			continue;
		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		visit(name, argument);
	}
	if (directory)
		closedir(directory);
}

static void visit_task(const char *task, void *places)
{
	add_task(task, places);
}

static void visit_process(const char *process, void *places)
{
	char path[320];

	snprintf(path, sizeof(path), "%s/task", process);
	each_number(path, visit_task, places);
}

static void print_places(void)
{
	struct place *places = calloc(STACKS, sizeof(*places));

	if (!places)
		return;
	each_number("/proc", visit_process, places);
	for (unsigned int i = 0; i < STACKS && places[i].tasks; i++) {
		printf("# %u tasks, as %s, state %s:\n", places[i].tasks, places[i].name, places[i].state);
		for (char *line = strtok(places[i].stack, "\n"); line; line = strtok(NULL, "\n"))
			printf("#     %s\n", line);
	}
	fflush(stdout);
	free(places);
}

void print_stuck(void)
{
	uint64_t begun = milliseconds();
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		print_places();
		_exit(0);
	}
	while (child > 0 && !waitpid(child, NULL, WNOHANG) && milliseconds() < begun + 30000)
		usleep(10000);
}

struct census {
	unsigned int uid, count;
};

static void visit_owner(const char *process, void *argument)
{
	struct census *census = argument;
	struct stat file;

	census->count += !stat(process, &file) && file.st_uid == census->uid;
}

unsigned int processes_of(unsigned int uid)
{
	struct census census = {.uid = uid};

	each_number("/proc", visit_owner, &census);
	return census.count;
}
