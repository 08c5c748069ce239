/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sets its limit of descriptors while the library has raised it: for other threads of the program do so at any moment. To
 * "low" or "hard", the hard limit; prints the limit that was set, and the one that it has at the end.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <memphis.h>

static const char *how;
static struct rlimit set;

/* The library's calls come here, too. */
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

int main(int argc, char **argv)
{
	struct rlimit limit;

	how = argc > 1 ? argv[1] : "low";
	if (memphis_begin("Loop") || memphis_end("Loop"))
		return 1;
	getrlimit(RLIMIT_NOFILE, &limit);
	printf("%lu %lu\n", (unsigned long)set.rlim_cur, (unsigned long)limit.rlim_cur);
	return 0;
}
