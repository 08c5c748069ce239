// SPDX-License-Identifier: BSD-3-Clause
/* Reads files of /proc and /sys, relative to a root directory. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "node/machine/machine.h"

static char *read_all(int fd)
{
	size_t used = 0, capacity = 0;
	char *text = NULL;
	ssize_t got = 1;

	while (got > 0) {
		if (memphis_grow(&text, &capacity, used + 4096, 1)) {
			errno = ENOMEM;
			got = -1;
			break;
		}
		got = read(fd, text + used, capacity - used - 1);
		used += got > 0 ? (size_t)got : 0;
	}
	if (got < 0) {
		free(text);
		return NULL;
	}
	while (used && strchr(" \n\t", text[used - 1]))
		used--;
	text[used] = '\0';
	return text;
}

static bool join_path(char *path, const char *root, const char *format, va_list arguments)
{
	size_t used = (size_t)snprintf(path, PATH_MAX, "%s", root);

	if (used >= PATH_MAX)
		return false;
	return (size_t)vsnprintf(path + used, PATH_MAX - used, format, arguments) < PATH_MAX - used;
}

static char *read_path(const char *root, const char *format, va_list arguments)
{
	char path[PATH_MAX], *text;
	int fd, saved;

	if (!join_path(path, root, format, arguments)) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	text = read_all(fd);
	saved = errno;
	close(fd);
	errno = saved;
	return text;
}

char *memphis_root_read(const char *root, const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	text = read_path(root, format, arguments);
	va_end(arguments);
	return text;
}

bool memphis_root_number(uint64_t *value, const char *root, const char *format, ...)
{
	va_list arguments;
	char *text;
	bool found;

	va_start(arguments, format);
	text = read_path(root, format, arguments);
	va_end(arguments);
	found = text && sscanf(text, "%" SCNu64, value) == 1;
	free(text);
	return found;
}

bool memphis_root_has(const char *root, const char *format, ...)
{
	char path[PATH_MAX];
	va_list arguments;
	bool whole;

	va_start(arguments, format);
	whole = join_path(path, root, format, arguments);
	va_end(arguments);
	return whole && !access(path, F_OK);
}

bool memphis_number_after(uint64_t *value, const char *text, const char *key)
{
	const char *found = text ? strstr(text, key) : NULL;

	return found && sscanf(found + strlen(key), " %" SCNu64, value) == 1;
}
