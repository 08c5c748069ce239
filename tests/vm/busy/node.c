// SPDX-License-Identifier: BSD-3-Clause
/* Implementation of node.h. */
#define _GNU_SOURCE
#include "node.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void set(const char *path, const char *value)
{
	int file = open(path, O_WRONLY | O_CLOEXEC);

	need(file >= 0, path);
	need(write(file, value, strlen(value)) == (ssize_t)strlen(value), path);
	close(file);
}

void set_online(int cpu, bool online)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	set(path, online ? "1" : "0");
}

unsigned long read_number(const char *path)
{
	FILE *file = fopen(path, "re");
	unsigned long number;

	need(file && fscanf(file, "%lu", &number) == 1, path);
	fclose(file);
	return number;
}

void run_anywhere(void)
{
	cpu_set_t set;

	memset(&set, 0xff, sizeof(set));
	need(!sched_setaffinity(0, sizeof(set), &set), "affinity");
}

void run_thread_on(pid_t tid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	need(!sched_setaffinity(tid, sizeof(set), &set), "affinity");
}

int open_session(const struct memphis_config *config)
{
	struct memphis_config copy = *config;
	int fd = open_device();

	errno = request(fd, MEMPHIS_IOC_CONFIGURE, &copy);
	need(!errno, "configure");
	return fd;
}

struct memphis_stats read_stats(int fd)
{
	struct memphis_stats stats;

	errno = request(fd, MEMPHIS_IOC_STATS, &stats);
	need(!errno, "stats");
	return stats;
}

void start(int fd)
{
	errno = request(fd, MEMPHIS_IOC_START, NULL);
	need(!errno, "start");
}

void stop(int fd)
{
	errno = request(fd, MEMPHIS_IOC_STOP, NULL);
	need(!errno, "stop");
}

/*
 * Reads both counts for the same moment: retries until no sample was delivered during the request. The
 * request reads the events on all CPUs and so waits for handlers that are still at work on earlier samples.
 */
struct tally tally(int fd)
{
	struct tally tally;
	int tries = 0;

	do {
		tally.delivered = delivered();
		read_stats(fd);
		tally.unattached = unattached(fd);
	} while (delivered() != tally.delivered && ++tries < 10000);
	return tally;
}

uint64_t delivered_since(int fd, struct tally before)
{
	struct tally now = tally(fd);

	return now.delivered - before.delivered - (now.unattached - before.unattached);
}

uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

unsigned int rings_in_kernel(void)
{
	static FILE *file;
	unsigned int count = 0;
	char line[512];

	if (!file)
		file = fdopen(file_of_root("FILE_VMALLOCINFO", "/proc/vmallocinfo", O_RDONLY), "r");
	need(file && !fseek(file, 0, SEEK_SET), "/proc/vmallocinfo");
	while (fgets(line, sizeof(line), file))
		count += strstr(line, "memphis_ring") != NULL;
	return count;
}
