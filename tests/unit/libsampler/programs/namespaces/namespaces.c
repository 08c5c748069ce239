/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Enters a namespace that only single-threaded processes may enter; allocates 20001 bytes before, and 20002 bytes after.
 * "user", "mount": which namespace; "child": the user namespace, in a newly forked child; "threads": with a second thread, so
 * that the call must fail. Prints the call's result and errno. "hide": in a mount namespace, hides the directory of the output before the
 * second allocation, which is one of a thread that ends. "late": only waits, until the library has begun.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memphis.h>

#pragma weak memphis_flush /* of the library that is preloaded or linked */

static void *volatile kept, *volatile kept_after;
static sem_t over;

static void *wait_for_end(void *unused)
{
	sem_wait(&over);
	return unused;
}

static int enter(const char *how)
{
	int fd, err;

	if (strcmp(how, "mount"))
		return unshare(CLONE_NEWUSER);
	fd = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
	err = setns(fd, CLONE_NEWNS);
	close(fd);
	return err;
}

static void *allocate(void *unused)
{
	kept_after = malloc(20002);
	return unused;
}

/* Returns the exit status. */
static int hide(void)
{
	char above[4096];
	pthread_t thread;

	kept = malloc(20001);
	snprintf(above, sizeof(above), "%s", getenv("MEMPHIS_OUTPUT"));
	*strrchr(above, '/') = '\0';
	if (memphis_flush() || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", above, "tmpfs", 0, NULL) || !access(getenv("MEMPHIS_OUTPUT"), F_OK))
		return 2;
	if (pthread_create(&thread, NULL, allocate, NULL) || pthread_join(thread, NULL))
		return 3;
	return 5;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	pthread_t thread;
	int err;

	if (!strcmp(how, "child") && fork()) {
		wait(NULL);
		return 5;
	}
	if (!strcmp(how, "hide"))
		return hide();
	if (!strcmp(how, "late")) {
		while (memphis_flush())
			usleep(1000);
		return 5;
	}
	sem_init(&over, 0, 0);
	if (!strcmp(how, "threads") && pthread_create(&thread, NULL, wait_for_end, NULL))
		return 1;
	kept = malloc(20001);
	errno = 0;
	err = enter(how);
	printf("%d %d\n", err, errno);
	kept_after = malloc(20002);
	sem_post(&over);
	if (!strcmp(how, "threads"))
		pthread_join(thread, NULL);
	return 5;
}
