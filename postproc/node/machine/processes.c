// SPDX-License-Identifier: BSD-3-Clause
/* Reads the CPU time of processes. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/order.h"
#include "node/machine/machine.h"

/* Numbers of fields in /proc/PID/stat, as in proc(5). */
#define STATE     3
#define FLAGS     9
#define USER_TIME 14
#define SYSTEM    15
#define START     22
#define PROCESSOR 39

/* The flag PF_KTHREAD (Linux, include/linux/sched.h). */
#define KERNEL_THREAD 0x00200000

static void set_field(struct memphis_running_process *process, unsigned int field, uint64_t value)
{
	switch (field) {
	case FLAGS:
		process->is_kernel = value & KERNEL_THREAD;
		break;
	case USER_TIME:
	case SYSTEM:
		process->ticks += value;
		break;
	case START:
		process->start = value;
		break;
	case PROCESSOR:
		process->cpu = (unsigned int)value;
		break;
	}
}

/* Parses a line of /proc/PID/stat (proc(5)). Returns false if it is malformed. */
static bool parse_stat(struct memphis_running_process *process, const char *text)
{
	/* The name is in parentheses and may itself contain spaces, parentheses and line ends. Only numbers follow it. */
	const char *name = strchr(text, '('), *end = strrchr(text, ')');
	unsigned int field = STATE;

	memset(process, 0, sizeof(*process));
	process->pid = (pid_t)strtol(text, NULL, 10);
	if (process->pid <= 0 || !name || !end || end < name)
		return false;
	snprintf(process->name, sizeof(process->name), "%.*s", (int)(end - name - 1), name + 1);
	for (text = end + 1; *text == ' ' && field <= PROCESSOR; field++) {
		text++;
		set_field(process, field, strtoull(text, NULL, 10));
		text += strcspn(text, " ");
	}
	return field > PROCESSOR;
}

/* Returns this process's PID as shown in root/proc, which may belong to another PID namespace. */
static pid_t own_pid(const char *root)
{
	char path[PATH_MAX], target[32] = "";

	snprintf(path, sizeof(path), "%s/proc/self", root);
	return readlink(path, target, sizeof(target) - 1) > 0 ? (pid_t)strtol(target, NULL, 10) : getpid();
}

static int compare_pids(const void *a, const void *b)
{
	const struct memphis_running_process *x = a, *y = b;

	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

int memphis_running_read(struct memphis_running *processes, const char *root)
{
	struct memphis_running_process found, *process;
	const pid_t self = own_pid(root);
	char path[PATH_MAX], *text;
	struct dirent *entry;
	DIR *directory;
	int rc = 0;

	memset(processes, 0, sizeof(*processes));
	snprintf(path, sizeof(path), "%s/proc", root);
	directory = opendir(path);
	while (directory && !rc && (entry = readdir(directory))) {
		if (!isdigit((unsigned char)*entry->d_name))
			continue;
		text = memphis_root_read(root, "/proc/%s/stat", entry->d_name);
		if (text && parse_stat(&found, text) && found.pid != self) {
			process = memphis_append(processes->list, processes->count, processes->room);
			if (process)
				*process = found;
			else
				rc = -ENOMEM;
		}
		free(text);
	}
	if (directory)
		closedir(directory);
	memphis_sort(processes->list, processes->count, compare_pids);
	return rc;
}

void memphis_running_close(struct memphis_running *processes)
{
	free(processes->list);
	memset(processes, 0, sizeof(*processes));
}

/*
 * Returns the CPU time that the process used since the reading `before`. If the process started after that
 * reading, returns all of its CPU time.
 */
static uint64_t ticks_between(const struct memphis_running *before,
			      const struct memphis_running_process *process)
{
	const struct memphis_running_process *then =
		before->count ? bsearch(process, before->list, before->count, sizeof(*process), compare_pids)
			      : NULL;

	return !then || then->start != process->start ? process->ticks
	       : process->ticks > then->ticks         ? process->ticks - then->ticks
						      : 0;
}

const struct memphis_running_process *memphis_busiest_process(const struct memphis_running *before,
							      const struct memphis_running *after,
							      uint64_t *ticks)
{
	const struct memphis_running_process *busiest = NULL;
	uint64_t used;
	size_t i;

	*ticks = 0;
	for (i = 0; i < after->count; i++) {
		used = ticks_between(before, &after->list[i]);
		if (used > *ticks) {
			*ticks = used;
			busiest = &after->list[i];
		}
	}
	return busiest;
}
