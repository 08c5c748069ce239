/* SPDX-License-Identifier: BSD-3-Clause */
/* Paths in procfs of the sampled process: the calling process, or another process. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/proc.h"

static char root[24] = "/proc/self/";

void memphis_proc_set(pid_t pid)
{
	snprintf(root, sizeof(root), "/proc/%d/", (int)pid);
}

const char *memphis_proc(char *path, const char *format, ...)
{
	va_list arguments;
	int used = snprintf(path, MEMPHIS_PROC_PATH, "%s", root);

	va_start(arguments, format);
	vsnprintf(path + used, MEMPHIS_PROC_PATH - (size_t)used, format, arguments);
	va_end(arguments);
	return path;
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
