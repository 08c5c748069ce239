/* SPDX-License-Identifier: BSD-3-Clause */
/* Paths of the sample files: the directory, and the names of the files in it. */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "base/companion.h"
#include "base/proc.h"
#include "settings/env.h"
#include "record/output_paths.h"

static int make_directories(char *path)
{
	char *slash;

	for (slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(path, 0777) && errno != EEXIST) {
			*slash = '/';
			return -errno;
		}
		*slash = '/';
	}
	return mkdir(path, 0777) && errno != EEXIST ? -errno : 0;
}

static char start_directory[sizeof(memphis_session.directory) / 2];
/* Working directory of the sampled process when the session was opened. */
static char work_directory[PATH_MAX];

/* A dot and the name of the launch by memphis record, or an empty string. */
static char launch[24];

/* Reads the name of the launch. Accepts only lower-case letters and digits, because the name becomes a part of file names. */
static void read_launch_name(void)
{
	const char *name = getenv("MEMPHIS_LAUNCH");
	size_t bytes = name ? strspn(name, "0123456789abcdefghijklmnopqrstuvwxyz") : 0;

	if (bytes && !name[bytes] && bytes + 1 < sizeof(launch))
		strcpy(stpcpy(launch, "."), name);
}

void memphis_output_setup(void)
{
	read_launch_name();
	if (!getcwd(start_directory, sizeof(start_directory)))
		start_directory[0] = '\0';
}

/*
 * Stores the working directory of the process. If the process is not dumpable, its companion can't read the
 * link, and the start directory is used instead.
 */
static void note_work_directory(void)
{
	char path[MEMPHIS_PROC_PATH];
	const ssize_t length =
		readlink(memphis_proc(path, "cwd"), work_directory, sizeof(work_directory) - 1);

	work_directory[length > 0 ? length : 0] = '\0';
	if (length < 0 && !memphis_session.identity.other)
		strcpy(work_directory, start_directory);
}

const char *memphis_output_work_directory(void)
{
	return work_directory;
}

void memphis_output_enter(struct memphis_session *s)
{
	if (!memphis_companion_is_self())
		return;
	memphis_file_yield(&s->output.stage);
	s->output.stage.is_entered = !chdir(s->directory);
	memphis_file_resume(&s->output.stage);
}

/* Resolves a relative path against the start directory, because daemons change to "/" before sampling starts. */
int memphis_output_directory(struct memphis_session *s)
{
	char name[sizeof(s->directory) / 2];
	int err;

	note_work_directory();
	err = memphis_env_expand(name, sizeof(name), memphis_settings.output);
	if (!err && name[0] != '/') {
		if (!start_directory[0])
			err = -ENOENT;
		else
			strcat(strcat(strcpy(s->directory, start_directory), "/"), name);
	} else if (!err) {
		strcpy(s->directory, name);
	}
	if (!err) {
		memphis_file_yield(&s->output.stage);
		err = make_directories(s->directory);
		memphis_file_resume(&s->output.stage);
	}
	if (!err)
		memphis_output_enter(s);
	else
		memphis_session_fail(s->directory[0] ? s->directory : memphis_settings.output, -err,
				     "set MEMPHIS_OUTPUT to a directory that can be made and written");
	return err;
}

/* Creates the file HOST.PID[.LAUNCH][.N].process.memphis, where N distinguishes programs that ran with the same PID. */
int memphis_output_process_file(struct memphis_session *s)
{
	struct utsname host;
	int n, err = -EEXIST;

	uname(&host);
	for (n = 0; n < 100000 && err == -EEXIST; n++) {
		char suffix[16] = "";

		if (n)
			snprintf(suffix, sizeof(suffix), ".%d", n);
		snprintf(s->base, sizeof(s->base), "%.64s.%d%s%s", host.nodename, (int)s->identity.pid,
			 launch, suffix);
		snprintf(s->process_path, sizeof(s->process_path), "%s/%s.process.memphis", s->directory,
			 s->base);
		err = memphis_file_create(&s->output.process_file, &s->output.stage, s->process_path,
					  &s->identity.run, MEMPHIS_FILE_PROCESS, 0, 1);
	}
	if (err)
		memphis_session_fail(s->process_path, -err,
				     "set MEMPHIS_OUTPUT to a directory with room that can be written");
	return err;
}

int memphis_output_path(char **path, size_t *bytes, const char *format, ...)
{
	static char *arena;
	static size_t left;
	va_list args;
	size_t need;
	int prefix;

	va_start(args, format);
	need = (size_t)vsnprintf(NULL, 0, format, args) + strlen(memphis_session.directory) +
	       strlen(memphis_session.base) + 3;
	va_end(args);
	need = (need + 31) & ~(size_t)31;
	if (need > *bytes && need > left) {
		left = 1u << 18;
		arena = sys_map(left);
		if (!arena) {
			left = 0;
			return -ENOMEM;
		}
	}
	if (need > *bytes) {
		*path = arena;
		*bytes = need;
		arena += need;
		left -= need;
	}
	prefix = sprintf(*path, "%s/%s.", memphis_session.directory, memphis_session.base);
	va_start(args, format);
	vsnprintf(*path + prefix, *bytes - (size_t)prefix, format, args);
	va_end(args);
	return 0;
}
