/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "unshare" or "close_range": a process of one thread unshares its descriptors, which it does not share anyway, closes the only
 * write end of a pipe in that way, and prints whether the read end is hung up.
 * "same": creates children by clone(2) directly, each the first process of a PID namespace, as the parent is; prints how many
 * of them succeeded.
 * "pid": enters a PID namespace for its children, after which no companion can be started, and unshares descriptors in both ways;
 * prints its number of threads, including the library's, before and after.
 * "empty": hides /proc in a mount namespace, maps a memory file that is shared, and prints errno, which mmap() must not change.
 */
#include <dirent.h>
#include <errno.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILDREN 15

static int same_numbers(void)
{
	int i, status, well = 0;
	pid_t child;

	for (i = 0; i < CHILDREN; i++) {
		child = (pid_t)syscall(SYS_clone, SIGCHLD | CLONE_NEWPID, NULL, NULL, NULL, NULL);
		if (child == 0)
			exit(getpid() == 1 ? 6 : 1);
		well += waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 6;
	}
	printf("%d\n", well);
	return getpid() == 1 ? 5 : 1;
}

static int threads(void)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *entry;
	int count = 0;

	while (tasks && (entry = readdir(tasks)))
		count += entry->d_name[0] != '.';
	if (tasks)
		closedir(tasks);
	return count;
}

static int children_elsewhere(void)
{
	int before = threads();

	if (unshare(CLONE_NEWPID | CLONE_FILES) || close_range(1000000, 1000001, CLOSE_RANGE_UNSHARE))
		return 1;
	printf("%d %d\n", before, threads());
	return 5;
}

static int empty_proc(void)
{
	int fd = memfd_create("file", MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, 8192) || unshare(CLONE_NEWNS) || mount("none", "/proc", "tmpfs", 0, NULL))
		return 1;
	errno = 0;
	if (mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED)
		return 1;
	printf("%d\n", errno);
	return 5;
}

int main(int argc, char **argv)
{
	struct pollfd end = {.events = POLLIN};
	int ends[2];

	if (argc > 1 && !strcmp(argv[1], "same"))
		return same_numbers();
	if (argc > 1 && !strcmp(argv[1], "pid"))
		return children_elsewhere();
	if (argc > 1 && !strcmp(argv[1], "empty"))
		return empty_proc();
	if (pipe(ends))
		return 1;
	if (argc > 1 && !strcmp(argv[1], "close_range")) {
		if (close_range((unsigned int)ends[1], (unsigned int)ends[1], CLOSE_RANGE_UNSHARE))
			return 1;
	} else {
		if (unshare(CLONE_FILES))
			return 1;
		close(ends[1]);
	}
	end.fd = ends[0];
	printf("%s\n", poll(&end, 1, 5000) == 1 && end.revents == POLLHUP ? "hung up" : "not hung up");
	return 5;
}
