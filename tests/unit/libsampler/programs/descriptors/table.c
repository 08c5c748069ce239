// SPDX-License-Identifier: BSD-3-Clause
/* Prints how many of the process's descriptors are sample files or files of procfs, while and after the library writes its files. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <memphis.h>

static int count_files(void)
{
	char path[300], target[300];
	const struct dirent *entry;
	DIR *list = opendir("/proc/self/fd");
	int count = 0;
	ssize_t length;

	while (list && (entry = readdir(list))) {
		snprintf(path, sizeof(path), "/proc/self/fd/%s", entry->d_name);
		length = readlink(path, target, sizeof(target) - 1);
		if (length <= 0 || atoi(entry->d_name) == dirfd(list))
			continue;
		target[length] = '\0';
		count += strstr(target, ".memphis") || !strncmp(target, "/proc/", 6);
	}
	if (list)
		closedir(list);
	return count;
}

int main(void)
{
	int before, after;
	char *block;

	if (memphis_begin("Work") || memphis_flush())
		return 2;
	before = count_files();
	block = malloc(100000);
	if (!block || memphis_end("Work") || memphis_flush())
		return 3;
	free(block);
	after = count_files();
	printf("%d %d\n", before, after);
	return 0;
}
