// SPDX-License-Identifier: BSD-3-Clause
/*
 * What the device answers to one who asks for samples, for stacks, and for both of another process.
 * usage: rights ask NAME          prints the errors of CONFIGURE without and with stacks, as checks
 *        rights other NAME        the same of ATTACH to another process of the user, by /proc/PID/environ and /proc/PID/mem
 */
#define _GNU_SOURCE
#include "session.h"

#include <fcntl.h>
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

int main(int argc, char **argv)
{
	need(argc == 3, "usage: rights ask|other NAME");
	if (!strcmp(argv[1], "ask")) {
		print(argv[2], "samples", configure(0));
		print(argv[2], "stacks", configure(512));
	} else {
		ask_for_other(argv[2]);
	}
	return 0;
}
