/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Changes the first thread as the arguments select, opens a caliper, and prints name, CPUs and policy of the library's companions.
 *	bind	binds the first thread to its lowest CPU
 *	team	runs an OpenMP parallel region; the runtime binds the first thread if OMP_PROC_BIND is set
 *	batch, fifo	sets the scheduling class
 *	load FILE	binds the first thread and loads the library, which is not linked, beside a second, unbound thread
 * Exits with 3 if the system does not allow the change.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int (*begin)(const char *);

static void print(pid_t tid, const char *name)
{
	int policy = sched_getscheduler(tid), cpu;
	cpu_set_t cpus;

	if (sched_getaffinity(tid, sizeof(cpus), &cpus))
		exit(1);
	printf("%s CPUs", name);
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &cpus))
			printf(" %d", cpu);
	printf(" %s\n", policy == SCHED_OTHER ? "other" : policy == SCHED_BATCH ? "batch" : "fifo");
}

/* Prints the companions, or only counts those that have no name yet (`count_only`). */
static int print_all(int count_only)
{
	int unnamed = 0;
	char path[320], name[32];
	struct dirent *entry;
	DIR *tasks = opendir("/proc/self/task");
	FILE *children, *file;
	int child;

	/* The companions are children of the thread that started them. */
	while (tasks && (entry = readdir(tasks))) {
		snprintf(path, sizeof(path), "/proc/self/task/%s/children", entry->d_name);
		children = entry->d_name[0] == '.' ? NULL : fopen(path, "r");
		while (children && fscanf(children, "%d", &child) == 1) {
			snprintf(path, sizeof(path), "/proc/%d/comm", child);
			file = fopen(path, "r");
			if (!file || fscanf(file, "%31s", name) != 1)
				exit(1);
			if (strncmp(name, "memphis-", 8))
				unnamed++;
			else if (!count_only)
				print(child, name);
			fclose(file);
		}
		if (children)
			fclose(children);
	}
	return unnamed;
}

static void bind_to_lowest(void)
{
	cpu_set_t cpus;
	int cpu = 0;

	sched_getaffinity(0, sizeof(cpus), &cpus);
	while (!CPU_ISSET(cpu, &cpus))
		cpu++;
	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		exit(3);
}

static void *stay(void *barrier)
{
	pthread_barrier_wait(barrier);
	pause();
	return NULL;
}

static void load(const char *file)
{
	pthread_barrier_t barrier;
	pthread_t thread;
	void *library, *idle, *symbol;
	void (*stand_in)(void *);

	pthread_barrier_init(&barrier, NULL, 2);
	if (pthread_create(&thread, NULL, stay, &barrier))
		exit(1);
	pthread_barrier_wait(&barrier);
	bind_to_lowest();
	library = dlopen(file, RTLD_NOW);
	idle = dlsym(RTLD_DEFAULT, "memphis_stand_in");
	if (library && idle) {
		memcpy(&stand_in, &idle, sizeof(stand_in));
		stand_in(dlsym(library, "memphis_stand_ins"));
	}
	symbol = library ? dlsym(library, "memphis_begin") : NULL;
	memcpy(&begin, &symbol, sizeof(begin));
}

int main(int count, char **arguments)
{
	const struct sched_param lowest = {.sched_priority = 1}, none = {0};
	void *symbol = dlsym(RTLD_DEFAULT, "memphis_begin");
	int i, threads = 0;

	memcpy(&begin, &symbol, sizeof(begin));
	for (i = 1; i < count; i++)
		if (!strcmp(arguments[i], "bind")) {
			bind_to_lowest();
		} else if (!strcmp(arguments[i], "team")) {
#pragma omp parallel reduction(+ : threads)
			threads++;
		} else if (!strcmp(arguments[i], "batch")) {
			if (sched_setscheduler(0, SCHED_BATCH, &none))
				return 3;
		} else if (!strcmp(arguments[i], "fifo")) {
			if (sched_setscheduler(0, SCHED_FIFO, &lowest))
				return 3;
		} else if (!strcmp(arguments[i], "load")) {
			load(arguments[++i]);
		}
	if (!begin || begin("Work"))
		return 1;
	while (print_all(1))
		usleep(1000);
	print_all(0);
	return 0;
}
