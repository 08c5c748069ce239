/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processes that end by _exit() and _Exit(): `ends HOW`. "child": a child of a process with threads ends like a worker of a pool; "Exit": so
 * does one by _Exit(). "handler": a signal handler ends the process. "shared": a child of vfork() ends, and the parent goes on. "copy":
 * so does a child that was made without fork handlers. Each process takes one sample before its end. The status is 5 if all went well.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memphis.h>

void idle_sample(const void *address);

static int numbers[1000];

static void look(void)
{
	memphis_begin("Look");
	idle_sample(numbers);
	memphis_end("Look");
}

static void *rest(void *unused)
{
	(void)unused;
	for (;;)
		pause();
	return NULL;
}

static void on_signal(int number)
{
	(void)number;
	_exit(5);
}

static int wait_for(pid_t child)
{
	int status;

	return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	pthread_t thread;
	pid_t child;

	if (pthread_create(&thread, NULL, rest, NULL))
		return 1;
	if (!strcmp(how, "child") || !strcmp(how, "Exit")) {
		look();
		child = fork();
		if (child)
			return wait_for(child);
		look();
		if (*how == 'E')
			_Exit(5);
		_exit(5);
	}
	if (!strcmp(how, "handler")) {
		signal(SIGUSR1, on_signal);
		look();
		raise(SIGUSR1);
	} else if (!strcmp(how, "shared")) {
		child = vfork();
		if (!child)
			_exit(7);
		if (wait_for(child) == 7) {
			look();
			return 5;
		}
	} else if (!strcmp(how, "copy")) {
		child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
		if (!child)
			_exit(7);
		if (wait_for(child) == 7) {
			look();
			return 5;
		}
	}
	return 1;
}
