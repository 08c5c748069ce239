// SPDX-License-Identifier: BSD-3-Clause
/*
 * Forks while another thread registers regions, which each child then does, too. Prints how many children ended with success; one that waits for
 * a lock that nobody holds is killed. usage: children
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memphis.h>

static volatile int ends;

static void *register_names(void *unused)
{
	char name[24];
	unsigned int i;

	for (i = 0; !ends && i < 100000; i++) {
		snprintf(name, sizeof(name), "region%u", i);
		memphis_region(name);
	}
	return unused;
}

int main(void)
{
	int status, ended = 0, i;
	pthread_t thread;
	pid_t child;

	pthread_create(&thread, NULL, register_names, NULL);
	for (i = 0; i < 20 && ended == i; i++) {
		usleep(500);
		child = fork();
		if (!child) {
			alarm(300);
			_exit(memphis_region("child") &&
					      memphis_region("region0") == memphis_region("region0")
				      ? 0
				      : 1);
		}
		ended += waitpid(child, &status, 0) == child && !status;
	}
	ends = 1;
	pthread_join(thread, NULL);
	printf("%d of 20 children\n", ended);
	return 0;
}
