// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds sample files. The process that writes the files keeps the process file open, so a link in
 * /proc/PID/fd leads to the directory. Files of threads may be closed between two writes.
 */
#include "top/watch.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perfdata/spool.h"
#include "top/growing.h"

#define DEPTH_MAX      64
#define PROCESS_SUFFIX ".process" MEMPHIS_FILE_SUFFIX

/* Counts the path as unreadable. The reason is in errno. */
static void count_unread(struct memphis_live *live, const char *path)
{
	struct memphis_error reason;
	const int rc = -errno;

	memphis_live_count_unread(live, memphis_fail(&reason, rc, "%s: %s", path, strerror(-rc)), &reason);
}

static bool is_directory(const char *path, const struct dirent *entry)
{
	struct stat status;

	if (entry->d_name[0] == '.' || entry->d_type == DT_REG)
		return false;
	return entry->d_type == DT_DIR || (!stat(path, &status) && S_ISDIR(status.st_mode));
}

/*
 * Adds the sample files in a directory. With `deeper`, also adds those in its subdirectories, such as one for
 * each rank. Returns 0 or -ENOMEM. It is no error if the directory does not exist yet.
 */
static int scan_directory(struct memphis_live *live, const char *path, bool deeper)
{
	DIR *directory = opendir(path);
	struct dirent *entry;
	char *file;
	int rc = 0;

	if (!directory)
		count_unread(live, path);
	while (!rc && directory && (entry = readdir(directory))) {
		if (asprintf(&file, "%s/%s", path, entry->d_name) < 0) {
			rc = -ENOMEM;
			break;
		}
		if (memphis_ends_with(entry->d_name, MEMPHIS_FILE_SUFFIX))
			rc = memphis_live_add(live, file);
		else if (deeper && is_directory(file, entry))
			rc = scan_directory(live, file, false);
		free(file);
	}
	if (directory)
		closedir(directory);
	return rc;
}

static int scan_path(struct memphis_live *live, const char *path)
{
	struct stat status;

	if (memphis_made_stat(path, &status)) {
		count_unread(live, path);
		return 0;
	}
	return S_ISDIR(status.st_mode) ? scan_directory(live, path, true) : memphis_live_add(live, path);
}

/* Adds the run of a process file to the wanted runs, and the file's directory to the directories that are watched. */
static int add_wanted_run(struct memphis_watch *watch, struct memphis_live *live, char *path)
{
	struct memphis_growing file = {.path = path};
	char *slash = strrchr(path, '/');
	struct memphis_error reason;
	int rc;

	memphis_live_count_unread(live, memphis_growing_read_header(&file, &reason), &reason);
	if (file.state != MEMPHIS_GROWING_OPEN || !slash)
		return 0;
	watch->met++;
	rc = memphis_live_add_wanted(live, &file.header);
	*slash = '\0';
	if (!rc && memphis_strings_add_text(&watch->directories, path) == MEMPHIS_NO_STRING)
		rc = -ENOMEM;
	return rc;
}

/*
 * Searches the open files of a process for a process file. Returns 0, -errno if the list of open files cannot
 * be read, or -ENOMEM.
 */
static int scan_process(struct memphis_watch *watch, struct memphis_live *live, const char *pid)
{
	char path[64], target[PATH_MAX];
	struct dirent *entry;
	DIR *directory;
	ssize_t bytes;
	int rc = 0;

	snprintf(path, sizeof(path), "/proc/%.16s/fd", pid);
	directory = opendir(path);
	if (!directory)
		return -errno;
	while (!rc && (entry = readdir(directory))) {
		bytes = readlinkat(dirfd(directory), entry->d_name, target, sizeof(target) - 1);
		if (bytes <= 0)
			continue;
		target[bytes] = '\0';
		if (memphis_ends_with(target, PROCESS_SUFFIX))
			rc = add_wanted_run(watch, live, target);
	}
	closedir(directory);
	return rc;
}

static int scan_started_processes(struct memphis_watch *watch, struct memphis_live *live, const char *pid,
				  unsigned int depth);

/* Scans the child processes of a thread. `path` is the kernel's list of them, which has one line. */
static int scan_children(struct memphis_watch *watch, struct memphis_live *live, const char *path,
			 unsigned int depth)
{
	FILE *file = fopen(path, "re");
	char pid[32];
	int rc = 0;

	while (file && rc != -ENOMEM && fscanf(file, "%31s", pid) == 1) {
		rc = scan_process(watch, live, pid);
		if (rc != -ENOMEM)
			rc = scan_started_processes(watch, live, pid, depth + 1);
	}
	if (file)
		fclose(file);
	return rc == -ENOMEM ? rc : 0;
}

/* Scans all processes that a process has started, directly or indirectly. Returns 0 or -ENOMEM. */
static int scan_started_processes(struct memphis_watch *watch, struct memphis_live *live, const char *pid,
				  unsigned int depth)
{
	char path[96];
	struct dirent *entry;
	DIR *threads;
	int rc = 0;

	snprintf(path, sizeof(path), "/proc/%.16s/task", pid);
	threads = depth < DEPTH_MAX ? opendir(path) : NULL;
	while (threads && !rc && (entry = readdir(threads))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/proc/%.16s/task/%.16s/children", pid, entry->d_name);
		rc = scan_children(watch, live, path, depth);
	}
	if (threads)
		closedir(threads);
	return rc;
}

static int scan_host(struct memphis_watch *watch, struct memphis_live *live)
{
	DIR *directory = opendir("/proc");
	struct dirent *entry;
	int rc = 0;

	while (directory && rc != -ENOMEM && (entry = readdir(directory)))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
			rc = scan_process(watch, live, entry->d_name);
	if (directory)
		closedir(directory);
	return rc == -ENOMEM ? rc : 0;
}

/*
 * Scans a process and the processes that it has started. A process whose files are written by another process
 * has them open only for moments.
 */
static int scan_pid(struct memphis_watch *watch, struct memphis_live *live, struct memphis_error *error)
{
	char pid[32];
	int rc;

	snprintf(pid, sizeof(pid), "%ld", watch->pid);
	rc = scan_process(watch, live, pid);
	if (!rc)
		rc = scan_started_processes(watch, live, pid, 0);
	if (rc == -EACCES && !watch->met)
		return memphis_fail(
			error, rc,
			"process %s belongs to another user; give the directory of its sample files", pid);
	if (rc == -ENOENT && !watch->met)
		return memphis_fail(error, -ESRCH,
				    "there is no process %s; give the directory of its sample files", pid);
	return rc == -ENOMEM ? memphis_fail(error, rc, "out of memory") : 0;
}

int memphis_watch_look(struct memphis_watch *watch, struct memphis_live *live, struct memphis_error *error)
{
	size_t i;
	int rc = 0;

	live->unread = 0;
	live->only_wanted = watch->pid || watch->host;
	if (watch->pid) {
		rc = scan_pid(watch, live, error);
		if (rc)
			return rc;
	}
	if (watch->host)
		rc = scan_host(watch, live);
	for (i = 0; !rc && i < watch->path_count; i++)
		rc = scan_path(live, watch->paths[i]);
	/* Skip string 0, the empty string. */
	for (i = 1; !rc && i < watch->directories.count; i++)
		rc = scan_directory(live, memphis_strings_get(&watch->directories, (uint32_t)i), false);
	return rc ? memphis_fail(error, rc, "out of memory") : 0;
}

bool memphis_watch_may_start(const struct memphis_watch *watch)
{
	return !kill((pid_t)watch->pid, 0) || errno == EPERM;
}

void memphis_watch_put_waiting(const struct memphis_watch *watch, struct memphis_text *text)
{
	if (watch->pid) {
		memphis_text_print(
			text,
			"waiting: process %ld writes no sample files, nor do those that it has started\n",
			watch->pid);
		memphis_text_put(text, "memphis record starts programs that do, or attaches to one (-p)");
	} else if (watch->host) {
		memphis_text_put(text, "waiting: none of the processes that you may see writes sample files\n"
				       "memphis record starts programs that do");
	} else {
		memphis_text_put(text, "waiting: no sample files in ");
		memphis_text_put_plain(text, watch->paths[0]);
		memphis_text_put(text, watch->path_count > 1 ? " and the other directories\n" : "\n");
		memphis_text_put(text, "memphis record -o DIRECTORY writes them");
	}
}

void memphis_watch_close(struct memphis_watch *watch)
{
	memphis_strings_close(&watch->directories);
}
