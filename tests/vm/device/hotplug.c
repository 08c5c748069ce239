// SPDX-License-Identifier: BSD-3-Clause
/* A CPU goes offline and online while a thread on it is sampled. usage: hotplug */
#define _GNU_SOURCE
#include "session.h"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#define BYTES (16u << 20) /* larger than an L3, so that loads come from DRAM, too */
#define LOADS 1000000u

static void set_online(const char *value)
{
	static int file = -1;

	if (file < 0)
		file = file_of_root("FILE_ONLINE", "/sys/devices/system/cpu/cpu3/online", O_WRONLY);
	need(pwrite(file, value, 1, 0) == 1, "cpu3/online");
}

int main(void)
{
	struct memphis_config config = some_config();
	uint64_t *buffer = buffer_on(3, BYTES);
	uint64_t before_delivered, before_unattached, kept;
	struct memphis_accounting accounting;
	struct thread_map map;
	int fd = open_device();

	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	map = attach_mapped(fd, 0, &config);
	before_unattached = unattached(fd);
	before_delivered = delivered();
	need(!request(fd, MEMPHIS_IOC_START, NULL), "start");
	walk(buffer, BYTES, LOADS);
	kept = read_books(&map).kept;
	check("hotplug: samples before the CPU goes offline", kept > 0);

	set_online("0");
	walk(buffer, BYTES, LOADS);
	accounting = read_books(&map);
	check("hotplug: samples on another CPU after the thread's own went offline", accounting.kept > kept);
	kept = accounting.kept;

	set_online("1");
	run_on(3);
	walk(buffer, BYTES, LOADS);
	accounting = read_books(&map);
	check("hotplug: samples on the CPU that is online again", accounting.kept > kept);
	check("hotplug: these samples name that CPU", map.records[map.status->head - 1].cpu == 3);

	need(!request(fd, MEMPHIS_IOC_STOP, NULL), "stop");
	accounting = read_books(&map);
	check_equal("hotplug: the accounting balances", books_sum(&accounting), accounting.interrupts);
	check_equal("hotplug: the accounting equals the machine's count",
		    accounting.interrupts + unattached(fd) - before_unattached,
		    delivered() - before_delivered);

	run_on(0);
	set_online("0");
	set_online("1");
	before_delivered = delivered();
	run_on(3);
	walk(buffer, BYTES, LOADS);
	check_equal("hotplug: after a stop, the CPU that is online again is not interrupted",
		    delivered() - before_delivered, 0);
	need(!request(fd, MEMPHIS_IOC_START, NULL), "start");
	kept = map.status->head;
	walk(buffer, BYTES, LOADS);
	check("hotplug: after a start, the CPU that is online again is interrupted", map.status->head > kept);
	close_device(fd);
	return 0;
}
