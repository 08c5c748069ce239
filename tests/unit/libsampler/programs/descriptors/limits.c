/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sets the limit of descriptors while the library has raised it, as other threads of a program may do at any time: "low" to 777,
 * "hard" to the hard limit; prints the limit that was set, and the limit at the end. "fork": forks while the limit is raised;
 * prints the number of children, and how many of them have a limit other than their parent's. "none": sets the limit to 0 inside a
 * caliper; prints whether the library has waited for work after that, and how often poll(2) refused to wait.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memphis.h>

#define CHILDREN 3
#define WAIT_MS  10000

static const char *how;
static struct rlimit set;
static bool forks;
static _Atomic bool is_raised;

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
	/* Leave time for a fork() while the limit is raised, if no lock prevents that. */
	if (forks && command == F_DUPFD_CLOEXEC && syscall(SYS_gettid) != getpid()) {
		atomic_store(&is_raised, true);
		usleep(50000);
	}
	return (int)syscall(SYS_fcntl, fd, command, argument);
}

static _Atomic int waits, refusals;

/* Interposed, also for libmemphis. */
int poll(struct pollfd *fds, nfds_t count, int timeout)
{
	long ready = syscall(SYS_poll, fds, count, timeout);

	atomic_fetch_add(ready < 0 ? &refusals : &waits, 1);
	return (int)ready;
}

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

static char block[4096];

static void *live(void *unused)
{
	(void)unused;
	memphis_name(block, sizeof(block), "block");
	for (;;)
		pause();
	return NULL;
}

static int has_another(const struct rlimit *own)
{
	struct rlimit limit;
	pid_t child = fork();
	int status;

	if (!child) {
		getrlimit(RLIMIT_NOFILE, &limit);
		_exit(limit.rlim_cur != own->rlim_cur);
	}
	return waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status);
}

/* Creates threads and names a block in each, as the library raises the limit to create a file for those that go on; forks meanwhile. */
static int fork_while_raised(void)
{
	int children = 0, others = 0, waited;
	struct rlimit own;
	pthread_t thread;

	getrlimit(RLIMIT_NOFILE, &own);
	memphis_begin("Loop");
	forks = true;
	for (; children < CHILDREN; children++) {
		atomic_store(&is_raised, false);
		if (pthread_create(&thread, NULL, live, NULL))
			return 1;
		for (waited = 0; !atomic_load(&is_raised) && waited < WAIT_MS; waited++)
			usleep(1000);
		if (!atomic_load(&is_raised))
			break;
		others += has_another(&own);
	}
	printf("%d %d\n", children, others);
	return 0;
}

int main(int argc, char **argv)
{
	struct rlimit limit;

	if (argc > 1 && !strcmp(argv[1], "fork"))
		return fork_while_raised();
	if (argc > 1 && !strcmp(argv[1], "none"))
		return wait_without_descriptors();
	how = argc > 1 ? argv[1] : "low";
	if (memphis_begin("Loop") || memphis_end("Loop"))
		return 1;
	getrlimit(RLIMIT_NOFILE, &limit);
	printf("%lu %lu\n", (unsigned long)set.rlim_cur, (unsigned long)limit.rlim_cur);
	return 0;
}
