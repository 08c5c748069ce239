/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sets the limit of descriptors while the library has raised it, as other threads of a program may do at any time: "low" to 777,
 * "hard" to the hard limit; prints the limit that was set, and the limit at the end. "none": sets the limit to 0 inside a
 * caliper; prints whether the library has waited for work after that, and how often poll(2) refused to wait.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <memphis.h>

#include "../../../../../libsampler/base/stand_ins.h"

#define WAIT_MS 10000

static const char *how;
static struct rlimit set;

/* Interposed, also for libmemphis. */
int fcntl(int fd, int command, ...)
{
	va_list args;
	long argument;

	va_start(args, command);
	argument = va_arg(args, long);
	va_end(args);
	if (how && command == F_DUPFD_CLOEXEC) {
		getrlimit(RLIMIT_NOFILE, &set);
		set.rlim_cur = strcmp(how, "hard") ? 777 : set.rlim_max;
		setrlimit(RLIMIT_NOFILE, &set);
		how = NULL;
	}
	return (int)syscall(SYS_fcntl, fd, command, argument);
}
MEMPHIS_STAND_IN(fcntl)

static _Atomic int waits, refusals;

/* Interposed, also for libmemphis. */
int poll(struct pollfd *fds, nfds_t count, int timeout)
{
	long ready = syscall(SYS_poll, fds, count, timeout);

	atomic_fetch_add(ready < 0 ? &refusals : &waits, 1);
	return (int)ready;
}
MEMPHIS_STAND_IN(poll)

/* Waits until the library has waited twice more: it may have called poll() before the limit was set. */
static int wait_without_descriptors(void)
{
	const struct rlimit none = {0};
	int waited, before;

	/* The library opens its files before. */
	if (memphis_begin("Loop") || memphis_flush() || setrlimit(RLIMIT_NOFILE, &none))
		return 1;
	before = atomic_load(&waits);
	for (waited = 0; atomic_load(&waits) < before + 2 && waited < WAIT_MS; waited++)
		usleep(1000);
	/* The limit may be set between the library's look at it and its poll(), which is refused once then. */
	printf("%d %d\n", atomic_load(&waits) >= before + 2, atomic_load(&refusals) > 1);
	return 0;
}

int main(int argc, char **argv)
{
	struct rlimit limit;

	if (argc > 1 && !strcmp(argv[1], "none"))
		return wait_without_descriptors();
	how = argc > 1 ? argv[1] : "low";
	if (memphis_begin("Loop") || memphis_end("Loop"))
		return 1;
	getrlimit(RLIMIT_NOFILE, &limit);
	printf("%lu %lu\n", (unsigned long)set.rlim_cur, (unsigned long)limit.rlim_cur);
	return 0;
}
