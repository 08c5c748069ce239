// SPDX-License-Identifier: BSD-3-Clause
/* The module's parameter controllers: which counters of memory controllers the users of the device can read. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "node/node.h"

#define PARAMETER "/sys/module/memphis/parameters/controllers"

static const char *remedy(int err)
{
	switch (err) {
	case ENOENT:
		return "; load the module of this version (modprobe memphis)";
	case EACCES:
	case EPERM:
		return "; only root may do this";
	default:
		return "; the kernel refuses a counter of the list";
	}
}

int memphis_controllers_write(const char *root, const char *list, struct memphis_error *error)
{
	const size_t bytes = strlen(list);
	char path[PATH_MAX];
	int fd, rc = 0;

	snprintf(path, sizeof(path), "%s" PARAMETER, root);
	fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd >= 0)
		errno = 0;
	if (fd < 0 || write(fd, list, bytes) != (ssize_t)bytes) {
		rc = errno ? errno : E2BIG;
		rc = memphis_fail(error, -rc, "%s: %s%s", path, strerror(rc), remedy(rc));
	}
	if (fd >= 0)
		close(fd);
	return rc;
}

void memphis_controllers_names(struct memphis_text *text, const char *list)
{
	const char *line, *end, *name, *first;
	const char *separator = "";

	for (line = list; *line; line = end + 1) {
		char found[64];
		int field;

		end = strchr(line, '\n');
		for (name = line, field = 0; field < 7; field++)
			name = strchr(name, ' ') + 1;
		snprintf(found, sizeof(found), " %.*s", (int)(end - name + 1), name);
		first = strstr(list, found);
		if (first != name - 1)
			continue;
		memphis_text_print(text, "%s%.*s", separator, (int)(end - name), name);
		separator = ", ";
	}
}
