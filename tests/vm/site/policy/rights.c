// SPDX-License-Identifier: BSD-3-Clause
/*
 * What the device answers to one who asks for samples, for stacks, and for both of another process.
 * usage: rights ask NAME          prints the errors of CONFIGURE without and with stacks, as checks
 *                                 and whether the process then counts as one that has used rights of the superuser
 *        rights memory NAME       fills the caller's cgroup with rings, and prints the error of CONFIGURE then
 *        rights other NAME        the same of ATTACH to another process of the user, by /proc/PID/environ and /proc/PID/mem
 */
#define _GNU_SOURCE
#include "session.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct memphis_config with_stacks(uint32_t bytes)
{
	struct memphis_config config = some_config();

	config.stack_bytes = bytes;
	config.stack_records = bytes ? 64 : 0;
	return config;
}

static int configure(uint32_t bytes)
{
	struct memphis_config config = with_stacks(bytes);
	int fd = open_device(), error = request(fd, MEMPHIS_IOC_CONFIGURE, &config);

	close_device(fd);
	return error;
}

/* Returns the error of opening the file or of the attachment. */
static int attach(pid_t process, const char *name, uint32_t bytes)
{
	struct memphis_config config = with_stacks(bytes);
	struct memphis_attach attach = {.tid = process};
	char path[64];
	int fd, error;

	snprintf(path, sizeof(path), "/proc/%d/%s", process, name);
	attach.memory = open(path, O_RDONLY | O_CLOEXEC);
	if (attach.memory < 0)
		return errno;
	fd = open_device();
	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	error = request(fd, MEMPHIS_IOC_ATTACH, &attach);
	close_device(fd);
	close(attach.memory);
	return error;
}

static void print(const char *name, const char *what, int error)
{
	printf("# %s: %s: %s\n", name, what, error ? strerrorname_np(error) : "0");
}

/* One child of the caller asks for another one: Yama allows a parent more. */
static void ask_for_other(const char *name)
{
	pid_t other = fork(), asks;

	if (!other)
		for (;;)
			pause();
	asks = fork();
	if (!asks) {
		print(name, "samples, by environ", attach(other, "environ", 0));
		print(name, "samples, by mem", attach(other, "mem", 0));
		print(name, "stacks, by environ", attach(other, "environ", 512));
		print(name, "stacks, by auxv", attach(other, "auxv", 512));
		print(name, "stacks, by mem", attach(other, "mem", 512));
		exit(0);
	}
	waitpid(asks, NULL, 0);
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
}

#define PF_SUPERPRIV 0x100 /* of the kernel's include/linux/sched.h */

/* A child begins without the flag. */
static void print_rights(const char *name)
{
	FILE *file;
	unsigned long flags = 0;

	if (fork()) {
		wait(NULL);
		return;
	}
	need(!configure(0), "configure");
	file = fopen("/proc/self/stat", "r");
	need(file && fscanf(file, "%*d %*s %*c %*d %*d %*d %*d %*d %lu", &flags) == 1, "/proc/self/stat");
	printf("# %s: superuser's rights: %d\n", name, !!(flags & PF_SUPERPRIV));
	exit(0);
}

#define THREADS 24

static pid_t tids[THREADS];
static pthread_barrier_t all_known;

static void *rest(void *tid)
{
	*(pid_t *)tid = gettid();
	pthread_barrier_wait(&all_known);
	for (;;)
		pause();
	return NULL;
}

/* Rings of half the size each, until not even small ones fit; then the requests that allocate least, on all CPUs. */
static void fill_memory(const char *name)
{
	struct memphis_config config = some_config();
	unsigned int attached = 0, i;
	pthread_t thread;
	int error = 0, fd;

	pthread_barrier_init(&all_known, NULL, THREADS + 1);
	for (i = 0; i < THREADS; i++)
		need(!pthread_create(&thread, NULL, rest, &tids[i]), "thread");
	pthread_barrier_wait(&all_known);
	for (config.ring_records = 1 << 18; config.ring_records; config.ring_records /= 2) {
		struct memphis_attach attach = {.tid = tids[attached]};

		config.wakeup_records = config.ring_records;
		fd = open_device();
		need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
		attached += !request(fd, MEMPHIS_IOC_ATTACH, &attach);
	}
	config.ring_records = config.wakeup_records = 1;
	fd = open_device();
	for (i = 0; i < 4000 && (!error || error == ENOMEM); i++) {
		if (i % 100 == 0)
			run_on((int)(i / 100 % 4));
		error = request(fd, MEMPHIS_IOC_CONFIGURE, &config);
	}
	print(name, "configure", error == ENOMEM ? 0 : error);
	exit(0);
}

int main(int argc, char **argv)
{
	need(argc == 3, "usage: rights ask|memory|other NAME");
	if (!strcmp(argv[1], "ask")) {
		print(argv[2], "samples", configure(0));
		print(argv[2], "stacks", configure(512));
		if (!configure(0))
			print_rights(argv[2]);
	} else if (!strcmp(argv[1], "memory")) {
		fill_memory(argv[2]);
	} else {
		ask_for_other(argv[2]);
	}
	return 0;
}
