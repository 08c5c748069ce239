/* SPDX-License-Identifier: BSD-3-Clause */
/* Paths in procfs of the sampled process: the library's own, or another process. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/proc.h"
#include "base/sys.h"

static MEMPHIS_AT_FORK char memory[24] = "/proc/self/", process[24] = "/proc/self/";
static MEMPHIS_AT_FORK pid_t sampled;

void memphis_proc_set(pid_t pid)
{
	sampled = pid;
	snprintf(process, sizeof(process), "/proc/%d/", (int)pid);
	memcpy(memory, process, sizeof(memory));
}

/* Stores the PID of this process in procfs, which may belong to another PID namespace. Uses as little stack as possible. */
void memphis_proc_set_own(void)
{
	static const char folder[] = "/proc/";
	const ssize_t length =
		readlink("/proc/self", process + sizeof(folder) - 1, sizeof(process) - sizeof(folder) - 1);

	sampled = getpid();
	memcpy(process, folder, sizeof(folder) - 1);
	if (length > 0)
		memcpy(process + sizeof(folder) - 1 + length, "/", 2);
	else
		memcpy(process + sizeof(folder) - 1, "self/", 6);
}

pid_t memphis_proc_pid(void)
{
	return sampled ? sampled : getpid();
}

bool memphis_proc_lacks_thread(pid_t tid)
{
	return syscall(SYS_tgkill, memphis_proc_pid(), tid, 0) && errno == ESRCH;
}

bool memphis_proc_has_threads(void)
{
	const nlink_t links_of_one = 3;
	struct stat tasks;

	return !stat("/proc/self/task", &tasks) && tasks.st_nlink > links_of_one;
}

/* Defines a function that returns paths below `root`. */
#define DEFINE_PATHS(name, root)                                                     \
	const char *name(char *path, const char *format, ...)                        \
	{                                                                            \
		const size_t used = strlen(root);                                    \
		va_list arguments;                                                   \
                                                                                     \
		memcpy(path, root, used);                                            \
		va_start(arguments, format);                                         \
		vsnprintf(path + used, MEMPHIS_PROC_PATH - used, format, arguments); \
		va_end(arguments);                                                   \
		return path;                                                         \
	}

DEFINE_PATHS(memphis_proc, process)
DEFINE_PATHS(memphis_proc_memory, memory)

long memphis_proc_field(const char *path, unsigned int number)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char text[1024], *at;
	ssize_t got;

	if (fd < 0)
		return -1;
	got = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[got > 0 ? got : 0] = '\0';
	/* The name of the program (field 2) may contain any character. */
	at = strrchr(text, ')');
	for (number -= 2; at && number; number--)
		at = strchr(at + 1, ' ');
	return at ? (long)strtoull(at, NULL, 10) : -1;
}

void memphis_fd_path(char path[MEMPHIS_FD_PATH], int fd)
{
	static const char folder[] = "/proc/self/fd/";
	unsigned int rest = (unsigned int)fd;
	char digits[12];
	size_t count = 0;

	memcpy(path, folder, sizeof(folder) - 1);
	path += sizeof(folder) - 1;
	do
		digits[count++] = (char)('0' + rest % 10);
	while ((rest /= 10) > 0);
	while (count > 0)
		*path++ = digits[--count];
	*path = '\0';
}
