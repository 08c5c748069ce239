/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the program's own code. Samples in that code need no callers. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/proc.h"
#include "core/session.h"
#include "backend/backend.h"
#include "record/output_paths.h"
#include "record/program.h"
#include "settings/env.h"

/* Directories that many programs share. The libraries below them do not belong to one program. */
static const char *const shared[] = {"/",     "/bin",     "/sbin", "/lib",       "/lib64",
				     "/usr",  "/usr/bin", "/opt",  "/usr/local", "/usr/local/bin",
				     "/home", "/tmp",     "/root"};

static struct memphis_program own;

static bool read_executable(char *target)
{
	char path[MEMPHIS_PROC_PATH];
	ssize_t length = readlink(memphis_proc_memory(path, "exe"), target, PATH_MAX - 1);

	if (length <= 0)
		return false;
	target[length] = '\0';
	return true;
}

static bool is_shared_directory(const char *path)
{
	size_t i;

	for (i = 0; i < sizeof(shared) / sizeof(*shared); i++)
		if (!strcmp(path, shared[i]))
			return true;
	return !*path;
}

static void add_directory(struct memphis_text_buffer *list, const char *path)
{
	/* The list is separated by colons. */
	if (!is_shared_directory(path) && !strchr(path, ':'))
		memphis_text_add(list, "%s%s", list->used ? ":" : "", path);
}

/*
 * Adds the directory of the executable. If that directory is called bin, adds its parent directory instead,
 * which also contains the program's libraries.
 */
static void add_neighbours(struct memphis_text_buffer *list, char *executable)
{
	char *slash;

	slash = strrchr(executable, '/');
	if (slash)
		*slash = '\0';
	slash = strrchr(executable, '/');
	if (!slash || strcmp(slash, "/bin")) {
		add_directory(list, executable);
		return;
	}
	*slash = '\0';
	if (is_shared_directory(executable))
		*slash = '/';
	add_directory(list, executable);
}

/*
 * Makes the list of paths: the list of the setting or, by default, the directory that add_neighbours() finds
 * and the working directory.
 */
static void list_paths(struct memphis_text_buffer *list)
{
	char path[PATH_MAX];

	if (*memphis_settings.program) {
		memphis_text_add(list, "%s", memphis_settings.program);
		return;
	}
	if (read_executable(path))
		add_neighbours(list, path);
	add_directory(list, memphis_output_work_directory());
}

void memphis_program_add_metadata(struct memphis_text_buffer *text)
{
	struct memphis_text_buffer list = {0};

	list_paths(&list);
	memphis_text_add_pair(text, "program_code", list.used ? list.data : "");
	memphis_text_free(&list);
}

/* Returns true if `path` is in the list, or is below a directory of the list. */
static bool is_listed(const char *list, const char *path)
{
	size_t length;

	for (; list && *list; list += length + (list[length] == ':')) {
		length = strcspn(list, ":");
		if (length && !strncmp(path, list, length) && (!path[length] || path[length] == '/'))
			return true;
	}
	return false;
}

/* Adds the address range of a line of /proc/PID/maps if it contains code of the program. */
static void add_code_range(const char *line, const char *list, const char *executable)
{
	unsigned long long start, end;
	const char *path;
	char perms[8];
	int path_at = 0;

	if (sscanf(line, "%llx-%llx %7s %*s %*s %*s %n", &start, &end, perms, &path_at) < 3 ||
	    perms[2] != 'x' || own.count == MEMPHIS_PROGRAM_RANGES_MAX)
		return;
	path = line + path_at;
	if (*path && (*path != '/' || (strcmp(path, executable) && !is_listed(list, path))))
		return;
	own.ranges[own.count].start = start;
	own.ranges[own.count++].end = end;
}

void memphis_program_list(void)
{
	struct memphis_program *shown = (void *)((char *)memphis_session.control + MEMPHIS_PROGRAM_OFFSET);
	struct memphis_text_buffer maps = {0}, list = {0};
	char path[MEMPHIS_PROC_PATH], executable[PATH_MAX] = "";
	char *line, *end;

	read_executable(executable);
	list_paths(&list);
	own.count = 0;
	if (!memphis_text_read(&maps, memphis_proc_memory(path, "maps"))) {
		for (line = maps.data; line && (end = strchr(line, '\n')); line = end + 1) {
			*end = '\0';
			add_code_range(line, list.data, executable);
		}
	}
	memphis_text_free(&maps);
	memphis_text_free(&list);
	/* While the list changes, the handler finds no ranges and takes all code as library code. */
	__atomic_store_n(&shown->count, 0, __ATOMIC_SEQ_CST);
	memcpy(shown->ranges, own.ranges, own.count * sizeof(*own.ranges));
	__atomic_store_n(&shown->count, own.count, __ATOMIC_RELEASE);
}

bool memphis_program_contains(__u64 pc)
{
	return memphis_program_code_has(&own, pc);
}
