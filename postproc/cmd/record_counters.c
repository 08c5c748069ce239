// SPDX-License-Identifier: BSD-3-Clause
#include "cmd/record_counters.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PREFIX "papi:"

/* Runs the helper program in a child process. It prints one line: the code of the event, or the reason why there is none. */
static pid_t ask(const char *helper, const char *event, int to)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	dup2(to, STDOUT_FILENO);
	unsetenv("LD_PRELOAD");
	execl(helper, helper, "--code", event, (char *)NULL);
	_exit(127);
}

/* Reads the line that the helper prints. Returns true if it is a code. */
static bool find_code(const char *helper, const char *event, char answer[256])
{
	ssize_t bytes;
	size_t used = 0;
	int ends[2], status = -1;
	pid_t pid;

	if (pipe(ends))
		return false;
	pid = ask(helper, event, ends[1]);
	close(ends[1]);
	while (used < 255 && (bytes = read(ends[0], answer + used, 255 - used)) != 0)
		if (bytes > 0)
			used += (size_t)bytes;
		else if (errno != EINTR)
			break;
	close(ends[0]);
	answer[used] = '\0';
	answer[strcspn(answer, "\n")] = '\0';
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!used)
		strcpy(answer, "the helper program ended without an answer");
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 && used;
}

static int translate(const char *library, const char *name, const char *event, FILE *to,
		     struct memphis_error *error)
{
	const int directory = (int)(strrchr(library, '/') - library);
	char helper[PATH_MAX + 64], answer[256];

	snprintf(helper, sizeof(helper), "%.*s/memphis/memphis-papi", directory, library);
	if (access(helper, X_OK))
		return memphis_fail(
			error, -errno,
			"--region-events: " PREFIX
			"%s: %s: %s; it is built with libmemphis if PAPI's library (libpapi-dev) is installed",
			event, helper, strerror(errno));
	if (!find_code(helper, event, answer))
		return memphis_fail(error, -EINVAL,
				    "--region-events: " PREFIX
				    "%s: %s; papi_avail and papi_native_avail list the events of this CPU",
				    event, answer);
	fprintf(to, "%s=%s", name, answer);
	return 0;
}

/* Returns the length of the first event in a list: up to the first comma that is not between slashes. */
static size_t event_length(const char *event)
{
	bool inside = false;
	size_t at;

	for (at = 0; event[at] && (inside || event[at] != ','); at++)
		inside ^= event[at] == '/';
	return at;
}

/* Writes one event of the list. If it is an event of PAPI, translates it first. */
static int put_event(const char *library, char *event, FILE *to, struct memphis_error *error)
{
	char *end = event + strcspn(event, "=/:");

	if (!strncmp(event, PREFIX, strlen(PREFIX)))
		return translate(library, event + strlen(PREFIX), event + strlen(PREFIX), to, error);
	if (*end == '=' && !strncmp(end + 1, PREFIX, strlen(PREFIX))) {
		*end = '\0';
		return translate(library, event, end + 1 + strlen(PREFIX), to, error);
	}
	fputs(event, to);
	return 0;
}

int memphis_record_counters(const char *library, const char *list, char **translated,
			    struct memphis_error *error)
{
	size_t size, length;
	char *event;
	int rc = 0;
	FILE *to = open_memstream(translated, &size);

	if (!to)
		return memphis_fail(error, -errno, "--region-events: %s", strerror(errno));
	for (; !rc; list += length + 1) {
		length = event_length(list);
		event = strndup(list, length);
		rc = event ? put_event(library, event, to, error)
			   : memphis_fail(error, -ENOMEM, "--region-events: out of memory");
		free(event);
		if (!list[length])
			break;
		fputc(',', to);
	}
	if (fclose(to) && !rc)
		rc = memphis_fail(error, -errno, "--region-events: %s", strerror(errno));
	if (rc)
		free(*translated);
	return rc;
}
