// SPDX-License-Identifier: BSD-3-Clause
/*
 * A sampled process is stopped by a signal or by the freezer of its cgroup.
 * usage: pause task|cpu
 */
#define _GNU_SOURCE
#include "node.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTES   (64u << 10)
#define LOADS   10000u
#define THREADS 2

#define CGROUP "/cgroup/pause"

static struct memphis_config config;
static struct thread_map maps[THREADS];
static pthread_barrier_t ready;
static int fd, other;

/* One thread has a CPU of its own, the other shares the watcher's. */
static void *work(void *argument)
{
	size_t index = (size_t)argument;
	uint64_t *buffer = buffer_on((int)index, BYTES);

	maps[index] = attach_mapped(fd, 0, &config);
	pthread_barrier_wait(&ready);
	for (;;)
		walk(buffer, BYTES, LOADS);
	return NULL;
}

static uint64_t interrupts(void)
{
	return read_books(&maps[0]).interrupts + read_books(&maps[1]).interrupts;
}

/* All threads of the process are in state T (stopped by a signal) according to /proc. */
static bool is_stopped(pid_t pid)
{
	char path[300], state;
	bool stopped = true;
	struct dirent *entry;
	FILE *stat;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	tasks = opendir(path);
	need(tasks, path);
	while ((entry = readdir(tasks))) {
		if (*entry->d_name == '.')
			continue;
		snprintf(path, sizeof(path), "/proc/%d/task/%s/stat", pid, entry->d_name);
		stat = fopen(path, "re");
		need(stat && fscanf(stat, "%*d %*s %c", &state) == 1, path);
		fclose(stat);
		stopped &= state == 'T';
	}
	closedir(tasks);
	return stopped;
}

/* A stopped task may still be leaving its CPU; once this thread has run on that CPU, the task has left. */
static void let_leave(void)
{
	run_on(1);
	run_on(0);
}

static void check_rest(const char *how)
{
	uint64_t *buffer = buffer_on(0, BYTES);
	uint64_t before = interrupts();
	struct tally all = tally(other);
	char name[64];

	walk(buffer, BYTES, 50 * LOADS);
	snprintf(name, sizeof(name), "%s: no interrupt, and the accounting does not change", how);
	check_equal(name, interrupts() - before, 0);
	snprintf(name, sizeof(name), "%s: nor does the machine deliver any to them", how);
	check_equal(name, delivered_since(other, all), 0);
}

static void check_progress(const char *how)
{
	uint64_t first = read_books(&maps[0]).interrupts, second = read_books(&maps[1]).interrupts;
	char name[64];

	/* If a thread is no longer sampled, the test hangs. */
	while (read_books(&maps[0]).interrupts == first || read_books(&maps[1]).interrupts == second)
		usleep(1000);
	snprintf(name, sizeof(name), "%s: both threads are sampled on", how);
	check(name, true);
}

static bool is_frozen(void)
{
	char line[64];
	bool frozen = false;
	FILE *file = fopen(CGROUP "/cgroup.events", "re");

	need(file, "cgroup.events");
	while (fgets(line, sizeof(line), file))
		frozen |= !strcmp(line, "frozen 1\n");
	fclose(file);
	return frozen;
}

/* Runs in a child of the sampled process, which inherits the maps but is outside its cgroup. */
static void watch(pid_t sampled)
{
	char number[16];

	other = open_device();
	run_on(0);
	check_progress("before");
	kill(sampled, SIGSTOP);
	while (!is_stopped(sampled))
		usleep(1000);
	let_leave();
	check_rest("stopped");
	kill(sampled, SIGCONT);
	check_progress("continued");

	need(!mkdir(CGROUP, 0755), CGROUP);
	snprintf(number, sizeof(number), "%d", sampled);
	set(CGROUP "/cgroup.procs", number);
	set(CGROUP "/cgroup.freeze", "1");
	while (!is_frozen())
		usleep(1000);
	let_leave();
	check_rest("frozen");
	set(CGROUP "/cgroup.freeze", "0");
	check_progress("thawed");
	kill(sampled, SIGTERM);
}

static void be_sampled(void)
{
	pthread_t threads[THREADS];
	struct memphis_accounting accounting;
	pid_t self = getpid();
	sigset_t term;
	int signal;

	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_BLOCK, &term, NULL);
	fd = open_session(&config);
	pthread_barrier_init(&ready, NULL, THREADS + 1);
	for (size_t i = 0; i < THREADS; i++)
		need(!pthread_create(&threads[i], NULL, work, (void *)i), "thread");
	pthread_barrier_wait(&ready);
	start(fd);
	if (!fork()) {
		watch(self);
		_exit(0);
	}
	sigwait(&term, &signal);
	stop(fd);
	for (size_t i = 0; i < THREADS; i++) {
		accounting = read_books(&maps[i]);
		check(i ? "stopped and frozen: the second thread's accounting balances"
			: "stopped and frozen: the first thread's accounting balances",
		      books_sum(&accounting) == accounting.interrupts);
	}
	exit(0);
}

int main(void)
{
	pid_t sampled;
	int status;

	config = some_config();
	sampled = fork();
	if (!sampled)
		be_sampled();
	need(waitpid(sampled, &status, 0) == sampled, "wait");
	check_equal("stopped and frozen: the process ends with success", status, 0);
	return 0;
}
