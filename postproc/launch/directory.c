// SPDX-License-Identifier: BSD-3-Clause
/* Resolves and tests the output directory. The library expands the same pattern in each process (libsampler/settings/env.c). */
#include "launch/directory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <memphis/job.h>

#define REMEDY \
	"; give --output a directory that can be made and written, or run without samples by --keep-going"

int memphis_directory_resolve(char absolute[MEMPHIS_OUTPUT_BYTES], const char *pattern,
			      struct memphis_error *error)
{
	char here[PATH_MAX];
	const char *from = here;
	size_t used = 0;

	if (*pattern == '/')
		here[0] = '\0';
	else if (!getcwd(here, sizeof(here)))
		return memphis_fail(error, -errno, "%s: the working directory has no name: %s" REMEDY,
				    pattern, strerror(errno));
	for (; *from && used < MEMPHIS_OUTPUT_BYTES - 2; from++) {
		if (*from == '%')
			absolute[used++] = '%';
		absolute[used++] = *from;
	}
	if (*from || snprintf(absolute + used, MEMPHIS_OUTPUT_BYTES - used, "%s%s", used ? "/" : "",
			      pattern) >= (int)(MEMPHIS_OUTPUT_BYTES - used))
		return memphis_fail(error, -ENAMETOOLONG, "%s%s%s: %s" REMEDY, here, *here ? "/" : "",
				    pattern, strerror(ENAMETOOLONG));
	return 0;
}

static const char *first_set_variable(const char *const *names, const char *otherwise)
{
	const char *value;

	for (; *names; names++) {
		value = getenv(*names);
		if (value && *value)
			return value;
	}
	return otherwise;
}

/* Returns the text that replaces '%' and this letter. Returns NULL if the text differs between processes. */
static const char *expand_letter(char letter, const struct utsname *host)
{
	static const char *const ranks[] = {MEMPHIS_RANK_VARIABLES, NULL};
	static const char *const jobs[] = {MEMPHIS_JOB_VARIABLES, NULL};

	if (letter == 'h')
		return host->nodename;
	if (letter == 'r')
		return first_set_variable(ranks, MEMPHIS_NO_RANK);
	if (letter == 'j')
		return first_set_variable(jobs, MEMPHIS_NO_JOB);
	return letter == '%' ? "%" : NULL;
}

/* Expands the pattern up to, but not including, the path component that differs between processes. Returns 0 or -ENAMETOOLONG. */
static int expand_pattern(char path[PATH_MAX], const char *pattern)
{
	struct utsname host;
	size_t used = 0;

	uname(&host);
	for (; *pattern; pattern++) {
		char one[2] = {*pattern, '\0'};
		const char *word = one;

		if (*pattern == '%' && pattern[1])
			word = expand_letter(*++pattern, &host);
		if (!word) {
			path[used] = '\0';
			strrchr(path, '/')[1] = '\0';
			return 0;
		}
		if (used + strlen(word) >= PATH_MAX)
			return -ENAMETOOLONG;
		strcpy(path + used, word);
		used += strlen(word);
	}
	return 0;
}

/* Creates the directory and its parents. Returns 0 or a negative errno. */
static int make_directory(char *path)
{
	char *slash;
	int rc = 0;

	for (slash = strchr(path + 1, '/'); slash && !rc; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		rc = mkdir(path, 0777) && errno != EEXIST ? -errno : 0;
		*slash = '/';
	}
	return rc ? rc : mkdir(path, 0777) && errno != EEXIST ? -errno : 0;
}

/*
 * Tests whether files can be written in the directory. The test file has contents, because an empty file can
 * be created even on a full file system.
 */
static int test_writing(const char *directory)
{
	static const char contents[4096];
	char *path;
	int fd, rc = 0;

	if (asprintf(&path, "%s/.memphis-XXXXXX", directory) < 0)
		return -ENOMEM;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		rc = -errno;
	else if (write(fd, contents, sizeof(contents)) != sizeof(contents))
		rc = errno ? -errno : -ENOSPC;
	if (fd >= 0 && close(fd) && !rc)
		rc = -errno;
	if (fd >= 0)
		unlink(path);
	free(path);
	return rc;
}

int memphis_directory_try(const char *pattern, struct memphis_error *error)
{
	const struct sigaction ignore = {.sa_handler = SIG_IGN};
	struct sigaction before;
	char path[PATH_MAX] = "";
	int rc = expand_pattern(path, pattern);

	if (!rc)
		rc = make_directory(path);
	if (!rc) {
		/* SIGXFSZ, the signal for exceeding the limit on file sizes, must not end this process. */
		sigaction(SIGXFSZ, &ignore, &before);
		errno = 0;
		rc = test_writing(path);
		sigaction(SIGXFSZ, &before, NULL);
	}
	if (!rc)
		return 0;
	return memphis_fail(error, rc, "%s: cannot write sample files: %s" REMEDY,
			    rc == -ENAMETOOLONG ? pattern : path, strerror(-rc));
}

void memphis_launch_name(char name[MEMPHIS_LAUNCH_BYTES])
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuv";
	struct timespec now;
	uint64_t number;
	int i;

	if (getrandom(&number, sizeof(number), GRND_NONBLOCK) != sizeof(number)) {
		clock_gettime(CLOCK_REALTIME, &now);
		number = (uint64_t)now.tv_nsec ^ (uint64_t)now.tv_sec << 30 ^ (uint64_t)getpid() << 20;
	}
	for (i = 0; i < MEMPHIS_LAUNCH_BYTES - 1; i++, number >>= 5)
		name[i] = digits[number & 31];
	name[i] = '\0';
}
