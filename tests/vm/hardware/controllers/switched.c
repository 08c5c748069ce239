// SPDX-License-Identifier: BSD-3-Clause
/*
 * Sessions whose counters of memory controllers are switched on, off and on anew, and lose their CPUs; lists that the module refuses. The
 * caller passes open descriptors of what only root may write, and the list in the environment. usage: switched
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "traffic.h"

static struct memphis_controllers traffic;

static int set(const char *list)
{
	return write(file_of_root("FILE_PARAMETER", "", O_WRONLY), list, strlen(list)) < 0 ? errno : 0;
}

static void set_online(int cpu, const char *value)
{
	const char *const name = cpu == 2 ? "FILE_ONLINE2" : "FILE_ONLINE3";

	need(pwrite(file_of_root(name, "", O_WRONLY), value, 1, 0) == 1, name);
}

static uint32_t available(int fd)
{
	struct memphis_query query;

	need(!request(fd, MEMPHIS_IOC_QUERY, &query), "query");
	return query.controllers;
}

static void check_refused_lists(void)
{
	static const struct {
		const char *name, *list;
		int error;
	} lists[] = {
		{"EINVAL: a list without places", "read 64 13 0x10a 0 0 umc\n", EINVAL},
		{"EINVAL: an event of the core", "read 64 4 0xc0 0 0 0:0 core\n", EINVAL},
		{"EINVAL: a CPU that does not exist", "read 64 13 0x10a 0 0 999:0 umc\n", EINVAL},
		{"ENOENT: a PMU that does not exist", "read 64 99999 0x10a 0 0 0:0 umc\n", ENOENT},
	};
	char of_software[128];
	int type = atoi(getenv("TYPE_MSR") ?: "0");

	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		check_equal(lists[i].name, (uint64_t)set(lists[i].list), (uint64_t)lists[i].error);
	snprintf(of_software, sizeof(of_software), "read 64 %d 0 0 0 0:0 tsc\n", type);
	check("the PMU that also counts for tasks is there", type > 5);
	check_equal("EINVAL: a PMU that also counts for tasks", (uint64_t)set(of_software), EINVAL);
}

static void check_child(int fd)
{
	pid_t child = fork();
	int status;

	if (!child)
		_exit(try_traffic(fd, &traffic));
	need(child > 0 && waitpid(child, &status, 0) == child, "fork");
	check_equal("EPERM: controllers read by a child", (uint64_t)WEXITSTATUS(status), EPERM);
}

static void check_cpus(const char *list, uint64_t *a, uint64_t *b)
{
	struct memphis_controllers before;
	int fd;

	need(!set(list), "on");
	fd = open_device();
	set_online(2, "0");
	if (getenv("LEFT_BEHIND")) {
		check_equal("hotplug: counters that the kernel has not moved are gone",
			    (uint64_t)try_traffic(fd, &traffic), ENXIO);
	} else {
		before = traffic_of(fd);
		run_on(0);
		copy_rounds(b, a, 2);
		traffic = traffic_of(fd);
		for (uint32_t i = 0; i < traffic.count; i++)
			check("hotplug: the other CPU of the node goes on counting",
			      traffic.entries[i].bytes - before.entries[i].bytes > ARRAY_BYTES / 2);
	}
	set_online(3, "0");
	check_equal("ENXIO: the counters of a node without CPUs", (uint64_t)try_traffic(fd, &traffic), ENXIO);
	set_online(2, "1");
	set_online(3, "1");
	check_equal("ENXIO: also after its CPUs have come back", (uint64_t)try_traffic(fd, &traffic), ENXIO);
	close(fd);
	fd = open_device();
	check_equal("ENXIO: also for a new session", (uint64_t)try_traffic(fd, &traffic), ENXIO);
	need(!set(list), "on");
	check_equal("ESTALE: after root has switched them on anew", (uint64_t)try_traffic(fd, &traffic),
		    ESTALE);
	close(fd);
}

int main(void)
{
	const char *const list = getenv("LIST");
	uint64_t *a = buffer_on(0, ARRAY_BYTES), *b = buffer_on(2, ARRAY_BYTES);
	int fd = open_device(), other;

	need(list != NULL, "LIST");
	check_equal("off: none are available", available(fd), 0);
	check_equal("EACCES: off", (uint64_t)try_traffic(fd, &traffic), EACCES);
	check_equal("on: the list is accepted", (uint64_t)set(list), 0);
	check_equal("on: reads and writes of two nodes", available(fd), 4);
	check_equal("ESTALE: a session from before", (uint64_t)try_traffic(fd, &traffic), ESTALE);
	other = open_device();
	memset(&traffic, 0xff, sizeof(traffic));
	check_equal("on: a new session reads", (uint64_t)try_traffic(other, &traffic), 0);
	check_equal("on: all entries are of a known node", traffic.count, 4);
	for (uint32_t i = 0; i < traffic.count; i++)
		check("on: an entry has a name, a node and a kind",
		      strlen(traffic.entries[i].name) > 4 && traffic.entries[i].node == (int)(i / 2 % 2) &&
			      traffic.entries[i].kind <= MEMPHIS_CONTROLLER_WRITE);
	check_equal("EFAULT: controllers to a bad pointer", (uint64_t)try_traffic(other, (void *)16), EFAULT);
	check_child(other);
	check_equal("anew: the list is accepted", (uint64_t)set(list), 0);
	check_equal("ESTALE: a session of the earlier list", (uint64_t)try_traffic(other, &traffic), ESTALE);
	check_refused_lists();
	check_equal("EACCES: after a list that was refused", (uint64_t)try_traffic(other, &traffic), EACCES);
	close(other);
	close(fd);
	check_cpus(list, a, b);
	check_equal("off again", (uint64_t)set("\n"), 0);
	return 0;
}
