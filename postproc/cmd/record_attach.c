// SPDX-License-Identifier: BSD-3-Clause
/*
 * Calls from memphis record into libmemphis, which is loaded into the tool: -p, which shares the sampling code; checks of option values; and the
 * probe for sampling hardware, so that the tool gets the same result as the command.
 */
#include "cmd/record_attach.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/time.h>

#include "cmd/command.h"
#include "base/library.h"
#include "cmd/summary.h"

/* Must match libsampler/control/attach_process.h. */
typedef int (*watch_fn)(pid_t pid, int stop, void (*begun)(unsigned int threads));
enum { WATCHED_FAILED = -1, WATCHED_STOPPED, WATCHED_ENDED, WATCHED_EXECUTED };

static const struct memphis_attachment *attachment;

static void *find(const char *library, const char *function)
{
	struct memphis_error error;
	void *found = memphis_library_function(library, function, &error);

	if (!found)
		fprintf(stderr, "memphis record: %s\n", error.text);
	return found;
}

bool memphis_record_refuses(const char *library, const char *variable, const char *value,
			    const char **accepts)
{
	void *found = find(library, "memphis_refuses");
	const char *(*refuses)(const char *, const char *);

	memcpy(&refuses, &found, sizeof(refuses));
	if (refuses)
		*accepts = refuses(variable, value);
	return refuses;
}

bool memphis_record_can_sample(const char *library)
{
	void *found = find(library, "memphis_probe");
	int (*probe)(void);

	memcpy(&probe, &found, sizeof(probe));
	return probe && !probe();
}

/* Returns a descriptor that becomes readable on Ctrl-C, on another terminating signal, and when the duration has elapsed. */
static int stop_descriptor(void)
{
	static const int stops[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM};
	struct itimerval timer = {{0, 0}, {0, 0}};
	sigset_t set;
	size_t i;
	int fd;

	sigemptyset(&set);
	for (i = 0; i < sizeof(stops) / sizeof(*stops); i++)
		sigaddset(&set, stops[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC);
	timer.it_value.tv_sec = (time_t)attachment->seconds;
	timer.it_value.tv_usec =
		(suseconds_t)((attachment->seconds - (double)timer.it_value.tv_sec) * 1000000);
	if (fd >= 0)
		setitimer(ITIMER_REAL, &timer, NULL);
	return fd;
}

static void say_begun(unsigned int threads)
{
	if (!attachment->quiet)
		fprintf(stderr,
			"memphis record: process %d is sampled, %u thread%s so far; allocations are not known\n",
			attachment->pid, threads, threads == 1 ? "" : "s");
}

int memphis_record_attach(const struct memphis_attachment *asked, const char *library, const char *launch)
{
	void *found = find(library, "memphis_watch");
	watch_fn watch;
	int stop, how;

	memcpy(&watch, &found, sizeof(watch));
	if (!watch)
		return MEMPHIS_EXIT_ERROR;
	attachment = asked;
	stop = stop_descriptor();
	if (stop < 0) {
		fprintf(stderr, "memphis record: signalfd: %s\n", strerror(errno));
		return MEMPHIS_EXIT_ERROR;
	}
	how = watch(asked->pid, stop, say_begun);
	if (how == WATCHED_FAILED)
		return MEMPHIS_EXIT_ERROR;
	if (how == WATCHED_EXECUTED)
		fprintf(stderr,
			"memphis record: process %d executes another program, which is not sampled; memphis record -p %d samples it\n",
			asked->pid, asked->pid);
	if (!asked->quiet)
		memphis_summary_print(getenv("MEMPHIS_OUTPUT"), launch, stderr);
	return 0;
}
