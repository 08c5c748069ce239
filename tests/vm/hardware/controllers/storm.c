// SPDX-License-Identifier: BSD-3-Clause
/*
 * Processes open sessions and read counters of memory controllers, while the list is written and emptied and the CPUs of a node go
 * offline and online. Each reading succeeds or fails with an error of device.h, and never decreases. usage: storm
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "traffic.h"

#define READERS 3
#define CHANGES 40

static struct memphis_controllers traffic, before;

static bool is_expected(int error)
{
	return !error || error == EACCES || error == ESTALE || error == ENXIO;
}

/* Ends with 0, or the error that device.h does not name, or 255 after a count that decreased. */
static void read_on(int ends)
{
	unsigned long readings = 0;
	int error, fd;

	for (;;) {
		fd = open_device();
		memset(&before, 0, sizeof(before));
		while (!(error = try_traffic(fd, &traffic))) {
			for (uint32_t i = 0; i < traffic.count; i++)
				if (traffic.entries[i].bytes < before.entries[i].bytes)
					_exit(255);
			before = traffic;
			readings++;
		}
		close(fd);
		if (!is_expected(error))
			_exit(error);
		if (fcntl(ends, F_GETFD) >= 0 && read(ends, &error, 1) == 0)
			_exit(readings ? 0 : 254);
	}
}

static void set_online(const char *name, const char *value)
{
	need(pwrite(file_of_root(name, "", O_WRONLY), value, 1, 0) == 1, name);
}

int main(void)
{
	const int parameter = file_of_root("FILE_PARAMETER", "", O_WRONLY);
	const char *const list = getenv("LIST");
	pid_t readers[READERS];
	int ends[2], status, on = 0;

	need(list && !pipe2(ends, O_NONBLOCK | O_CLOEXEC), "LIST");
	for (int i = 0; i < READERS; i++) {
		readers[i] = fork();
		if (!readers[i]) {
			close(ends[1]);
			read_on(ends[0]);
		}
	}
	for (int i = 0; i < CHANGES; i++) {
		on += write(parameter, list, strlen(list)) == (ssize_t)strlen(list);
		usleep(20000);
		set_online("FILE_ONLINE2", "0");
		if (i % 4 == 2)
			set_online("FILE_ONLINE3", "0");
		usleep(20000);
		set_online("FILE_ONLINE3", "1");
		set_online("FILE_ONLINE2", "1");
		if (i % 3 == 0)
			need(write(parameter, "\n", 1) == 1, "off");
	}
	check_equal("storm: the list can be written whatever sessions do", (uint64_t)on, CHANGES);
	need(write(parameter, list, strlen(list)) > 0, "on");
	usleep(200000);
	need(write(parameter, "\n", 1) == 1, "off");
	close(ends[1]);
	for (int i = 0; i < READERS; i++) {
		need(waitpid(readers[i], &status, 0) == readers[i], "waitpid");
		check_equal("storm: a reader gets counts, and no error but those of device.h",
			    (uint64_t)(WIFEXITED(status) ? WEXITSTATUS(status) : 256), 0);
	}
	return 0;
}
