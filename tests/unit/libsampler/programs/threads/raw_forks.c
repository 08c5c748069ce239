/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Children of a direct clone(2), which skips the fork handlers, created while the library's thread works; each child forks, as
 * container launchers do. Prints the number of successful children.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memphis.h>

#define CHILDREN 400

static void *keep_busy(void *unused)
{
	(void)unused;
	for (;;)
		memphis_flush();
	return NULL;
}

static int ends_with(pid_t child, int wanted)
{
	int status;

	return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == wanted;
}

int main(void)
{
	pthread_t thread;
	int i, well = 0;
	pid_t child;

	memphis_begin("Loop");
	if (pthread_create(&thread, NULL, keep_busy, NULL))
		return 1;
	for (i = 0; i < CHILDREN; i++) {
		child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
		if (child == 0) {
			child = fork();
			if (child == 0)
				_exit(5);
			_exit(ends_with(child, 5) ? 6 : 1);
		}
		well += ends_with(child, 6);
	}
	printf("%d\n", well);
	fflush(stdout);
	_exit(0);
}
