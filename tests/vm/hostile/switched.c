// SPDX-License-Identifier: BSD-3-Clause
/*
 * A user opens, starts and ends sessions while CPUs are taken offline and online: no request may fail, as no other user has the hardware.
 * usage: switched TURNS; as root. Takes the CPUs but the first one offline and online, as many times.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common.h"

#define USERS 3 /* processes of the user */

static struct board {
	int over;
	unsigned int sessions, refused;
} * board;

static void set_online(long cpu, const char *word)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%ld/online", cpu);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	need(fd >= 0 && write(fd, word, 1) == 1, path);
	close(fd);
}

static void use_sessions(void *unused)
{
	(void)unused;
	become(BOB);
	while (!__atomic_load_n(&board->over, __ATOMIC_ACQUIRE)) {
		struct memphis_config config = some_config();
		struct memphis_attach attach = {0};
		const int fd = open_device();

		need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
		need(!request(fd, MEMPHIS_IOC_ATTACH, &attach), "attach");
		if (request(fd, MEMPHIS_IOC_START, NULL))
			__atomic_fetch_add(&board->refused, 1, __ATOMIC_RELAXED);
		else
			need(!request(fd, MEMPHIS_IOC_STOP, NULL), "stop");
		__atomic_fetch_add(&board->sessions, 1, __ATOMIC_RELAXED);
		close_device(fd);
	}
}

int main(int argc, char **argv)
{
	const int turns = argc == 2 ? atoi(argv[1]) : 0;
	pid_t children[USERS];
	int ended = 0, i;

	need(turns > 0, "usage: switched TURNS");
	board = shared_memory(sizeof(*board));
	need(!chmod("/dev/memphis", 0666), "chmod");
	for (i = 0; i < USERS; i++)
		children[i] = start_child(use_sessions, NULL);
	for (int turn = 0; turn < turns; turn++) {
		const long cpu = 1 + turn % (sysconf(_SC_NPROCESSORS_CONF) - 1);

		set_online(cpu, "0");
		set_online(cpu, "1");
	}
	__atomic_store_n(&board->over, 1, __ATOMIC_RELEASE);
	for (i = 0; i < USERS; i++)
		ended += !end_of(children[i]);
	check_equal("switched: the user's processes end", ended, USERS);
	printf("# %u sessions\n", board->sessions);
	check("switched: sessions were used", board->sessions > (unsigned int)turns);
	check_equal("switched: no start is refused", board->refused, 0);
	return 0;
}
