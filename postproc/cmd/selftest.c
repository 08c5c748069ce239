// SPDX-License-Identifier: BSD-3-Clause
/* memphis node --selftest: runs a known access pattern once for each sampling event, and prints the verdict. */
#include "cmd/selftest.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/command.h"
#include "base/library.h"
#include "selftest/selftest.h"
#include "read/stands_for.h"

struct run {
	const struct memphis_selftest_request *request;
	struct memphis_observation observation;
	const char *library;
	char directory[PATH_MAX]; /* directory of the sample files */
	char out[PATH_MAX], err[PATH_MAX];
	struct memphis_error error;
};

/* Removes the user's settings of the library, which could filter samples or write them elsewhere. */
static void clear_settings(void)
{
	extern char **environ;
	char **entry = environ, name[64];
	size_t bytes;

	while (entry && *entry) {
		bytes = strcspn(*entry, "=");
		if (strncmp(*entry, "MEMPHIS_", strlen("MEMPHIS_")) != 0 || bytes >= sizeof(name)) {
			entry++;
			continue;
		}
		snprintf(name, sizeof(name), "%.*s", (int)bytes, *entry);
		unsetenv(name); /* moves the following entries, so `entry` is not incremented */
	}
}

static int set_number(const char *name, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	return setenv(name, text, 1);
}

static int set_environment(const struct run *run)
{
	const struct memphis_observation *observation = &run->observation;
	const bool pebs = observation->hardware == MEMPHIS_HARDWARE_PEBS;

	clear_settings();
	return setenv("LD_PRELOAD", run->library, 1) || setenv("MEMPHIS_OUTPUT", run->directory, 1) ||
	       setenv("MEMPHIS_DEVICE", run->request->device, 1) ||
	       setenv("MEMPHIS_BACKEND", run->request->offer->by, 1) ||
	       set_number("MEMPHIS_PERIOD", observation->plan.period) ||
	       setenv("MEMPHIS_MIN_LATENCY", "0", 1) ||
	       (pebs && setenv("MEMPHIS_EVENT", memphis_event_names[observation->event], 1));
}

/* Replaces the child process by this tool, which runs the pattern. Does not return. */
static void execute(const struct run *run)
{
	struct memphis_text arguments = {0};
	char *list[5 + 4 * (MEMPHIS_SELFTEST_PHASES + 1)], *rest, *word;
	size_t count = 0;

	memphis_text_put(&arguments, "memphis ");
	memphis_pattern_arguments(&run->observation.plan, &arguments);
	rest = arguments.failed ? NULL : arguments.text;
	while ((word = strsep(&rest, " ")))
		list[count++] = word;
	list[count] = NULL;
	if (!freopen(run->out, "w", stdout) || !freopen(run->err, "w", stderr) || !count ||
	    set_environment(run))
		_exit(MEMPHIS_EXIT_ERROR);
	execv("/proc/self/exe", list);
	fprintf(stderr, "memphis: /proc/self/exe: %s\n", strerror(errno));
	_exit(MEMPHIS_EXIT_ERROR);
}

/*
 * Stores the last line that the program printed to standard error in run->error. The library prints the
 * reason of a failure there.
 */
static int fail_with_line(struct run *run, int status)
{
	char *text = memphis_root_read("", "%s", run->err);
	char *line = text ? strrchr(text, '\n') : NULL;

	line = line ? line + 1 : text;
	memphis_fail(&run->error, -EIO, "%s (%s %d)", line && *line ? line : "no sample was taken",
		     WIFSIGNALED(status) ? "killed by signal" : "exit status",
		     WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	free(text);
	return -EIO;
}

static int run_pattern(struct run *run)
{
	char *text;
	int status, rc;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid < 0)
		return memphis_fail(&run->error, -errno, "cannot start a process: %s", strerror(errno));
	if (!pid)
		execute(run);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return memphis_fail(&run->error, -errno, "waitpid: %s", strerror(errno));
	if (status)
		return fail_with_line(run, status);
	text = memphis_root_read("", "%s", run->out);
	rc = text ? memphis_pattern_read(&run->observation, text, &run->error)
		  : memphis_fail(&run->error, -errno, "%s: %s", run->out, strerror(errno));
	free(text);
	return rc ? rc : memphis_observation_read(&run->observation, run->directory, &run->error);
}

/* Tests one event, and appends its rows. */
static void test_event(struct run *run, unsigned int event, const char *top,
		       struct memphis_selftest_rows *rows)
{
	const struct memphis_selftest_request *request = run->request;
	const char *name = memphis_event_name(request->offer->query.hardware, event);
	struct memphis_selftest_row *row;
	int rc;

	run->observation.hardware = request->offer->query.hardware;
	run->observation.event = event;
	snprintf(run->directory, sizeof(run->directory), "%s/%s", top, name);
	snprintf(run->out, sizeof(run->out), "%s/%s.out", top, name);
	snprintf(run->err, sizeof(run->err), "%s/%s.err", top, name);
	rc = memphis_selftest_make_plan(&run->observation.plan, request->machine, &request->offer->query,
					event, &run->error);
	if (!rc)
		rc = run_pattern(run);
	if (!rc) {
		memphis_selftest_judge(rows, &run->observation);
		return;
	}
	row = memphis_selftest_row(rows, name, "run", "");
	if (row)
		memphis_text_put(&row->evidence, run->error.text);
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *level)
{
	(void)status;
	(void)kind;
	(void)level;
	remove(path);
	return 0;
}

/* Returns true if all rows have the verdict OK. The sample files are then not needed any more. */
static bool is_well(const struct memphis_selftest_rows *rows)
{
	size_t i;

	for (i = 0; i < rows->count && rows->list[i].verdict == MEMPHIS_VERDICT_OK; i++)
		;
	return i == rows->count;
}

static int test_all(struct memphis_selftest_request *request, const char *library, const char *top,
		    enum memphis_verdict *verdict, struct memphis_text *text)
{
	struct memphis_selftest_rows rows = {0};
	struct run *run = calloc(1, sizeof(*run));
	struct memphis_selftest_head head = {.machine = request->machine, .offer = request->offer};
	struct memphis_plan plan = {0};
	unsigned int event;
	int rc = run ? 0 : -ENOMEM;

	for (event = 0; run && event < MEMPHIS_EVENTS; event++) {
		if (!(request->offer->query.events & 1u << event))
			continue;
		memset(run, 0, sizeof(*run));
		run->request = request;
		run->library = library;
		test_event(run, event, top, &rows);
		memphis_selftest_plan_join(&plan, &run->observation.plan);
		memphis_observation_close(&run->observation);
	}
	head.plan = &plan;
	*verdict = memphis_selftest_verdict(&rows, request->strict);
	if (!is_well(&rows))
		snprintf(request->kept, sizeof(request->kept), "%s", top);
	if (!rc && rows.failed)
		rc = -ENOMEM;
	if (!rc)
		(request->json ? memphis_selftest_json : memphis_selftest_text)(&head, &rows, *verdict, text);
	memphis_selftest_rows_close(&rows);
	free(run);
	return rc;
}

int memphis_selftest(struct memphis_selftest_request *request, enum memphis_verdict *verdict,
		     struct memphis_text *text, struct memphis_error *error)
{
	const char *temporary = getenv("TMPDIR");
	char library[PATH_MAX], top[200];
	struct memphis_plan plan;
	int rc;

	if (!request->offer->by)
		return memphis_fail(error, -ENODEV, "%s", request->offer->refusal);
	rc = memphis_library_find(library, error);
	/* Check whether a plan can be made. Without a plan, no event can be tested. */
	if (!rc)
		rc = memphis_selftest_make_plan(&plan, request->machine, &request->offer->query,
						MEMPHIS_EVENT_ACCESS, error);
	if (rc)
		return rc;
	snprintf(top, sizeof(top), "%.150s/memphis-selftest-XXXXXX",
		 temporary && *temporary ? temporary : "/tmp");
	if (!mkdtemp(top))
		return memphis_fail(error, -errno, "%s: %s", top, strerror(errno));
	rc = test_all(request, library, top, verdict, text);
	if (rc)
		memphis_fail(error, rc, "out of memory");
	if (rc || !*request->kept)
		nftw(top, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	return rc;
}
