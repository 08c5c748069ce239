// SPDX-License-Identifier: BSD-3-Clause
/* memphis top: shows how processes access memory while they are being sampled. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/terminal.h"
#include "cmd/arguments.h"
#include "cmd/command.h"
#include "perfdata/convert.h"
#include "top/leading.h"
#include "top/screen.h"
#include "top/live_table.h"
#include "top/watch.h"

#define INTERVAL_MIN 0.1
#define INTERVAL_MAX 3600
/* Maximum fraction of the time that the search for names may take. */
#define NAMING_PART 0.1

#define KEYS "q quit   p pause   s sort"

struct options {
	struct memphis_watch watch;
	const char *color;
	double interval_s;
	int order;  /* index in memphis_top_orders */
	long count; /* number of tables to be printed; 0: no limit */
};

static bool parse_seconds(const struct memphis_parsing *parsing, char *value)
{
	char why[64], *end;
	const double seconds = strtod(value, &end);

	snprintf(why, sizeof(why), "is not a number from %.1f to %d", INTERVAL_MIN, INTERVAL_MAX);
	if (end == value || *end || !(seconds >= INTERVAL_MIN && seconds <= INTERVAL_MAX))
		return memphis_option_refuse(parsing, value, why);
	*(double *)memphis_option_target(parsing) = seconds;
	return true;
}

static bool parse_positive(const struct memphis_parsing *parsing, char *value)
{
	if (!memphis_parse_number(parsing, value))
		return false;
	if (*(long *)memphis_option_target(parsing))
		return true;
	fprintf(stderr, "memphis top: --%s: give a number above 0\n", parsing->option->name);
	return false;
}

static bool parse_once(const struct memphis_parsing *parsing, char *value)
{
	(void)value;
	*(long *)memphis_option_target(parsing) = 1;
	return true;
}

#define AT(member) offsetof(struct options, member)
static const struct memphis_option option_rows[] = {
	MEMPHIS_OPTION("pid", "PID", "this process and those that it has started, as memphis record does",
		       parse_positive, AT(watch.pid), .letter = 'p'),
	MEMPHIS_OPTION("device", NULL, "all processes on this machine that you may see (default)",
		       memphis_parse_flag, AT(watch.host)),
	MEMPHIS_OPTION("count", "N", "print N tables, and end", parse_positive, AT(count), .letter = 'n'),
	MEMPHIS_OPTION("once", NULL, "the same as -n 1", parse_once, AT(count)),
	MEMPHIS_OPTION("interval", "N", "seconds between two tables (default 1)", parse_seconds,
		       AT(interval_s)),
	MEMPHIS_OPTION("sort", "ORDER", "order of the processes (default remote)", memphis_parse_word,
		       AT(order), .words = MEMPHIS_LINES_OF(memphis_top_orders)),
	MEMPHIS_OPTION_COLOR(AT(color)),
	{.name = NULL},
};

static void put_keys(FILE *to)
{
	fputs("\nKeys in a terminal: q quits, p pauses, s changes the order. With -n, and if the output is not a\n"
	      "terminal, tables are printed one after the other.\n",
	      to);
}

static const struct memphis_usage usage = {
	.command = "memphis top",
	.text = "usage: memphis top [options] [DIRECTORY...]\n"
		"Shows remote loads, bandwidth and leading variables of processes while they are being sampled.\n"
		"DIRECTORY: where their sample files are; by default, those of all your processes on this machine.\n\n",
	.options = option_rows,
	.put_rest = put_keys,
};

struct showing {
	struct options *options;
	struct memphis_live live;
	struct memphis_top_view view;
	struct memphis_text waiting;
	double next_name_s; /* earliest time of the next search for names */
	struct memphis_error error;
};

static int look(struct showing *showing)
{
	int rc = memphis_watch_look(&showing->options->watch, &showing->live, &showing->error);

	return rc ? rc : memphis_live_look(&showing->live, &showing->error);
}

/* Finds names, unless this would take more than NAMING_PART of the time. */
static int find_names(struct showing *showing)
{
	const double begin = memphis_clock_s();
	double end;
	int rc;

	if (begin < showing->next_name_s)
		return 0;
	rc = memphis_leading_find(&showing->live, &showing->error);
	end = memphis_clock_s();
	showing->next_name_s = end + (end - begin) * (1 / NAMING_PART - 1);
	showing->view.naming = false;
	return rc;
}

/* Reads the new samples from the files, and finds names. */
static int refresh(struct showing *showing)
{
	int rc = look(showing);

	return rc ? rc : find_names(showing);
}

static int put(struct showing *showing, struct memphis_text *text)
{
	memphis_parse_color(showing->options->color, &text->color);
	if (memphis_top_put(&showing->view, &showing->live, text))
		return memphis_fail(&showing->error, -ENOMEM, "out of memory");
	return 0;
}

static int draw(struct showing *showing)
{
	struct memphis_text text = {0};
	int rc;

	memphis_screen_size(&showing->view.width, &showing->view.height);
	rc = put(showing, &text);
	if (!rc) {
		rc = memphis_screen_show(&text, KEYS);
		if (rc)
			memphis_fail(&showing->error, rc, "cannot write to the terminal: %s", strerror(-rc));
	}
	memphis_text_close(&text);
	return rc;
}

/* Handles a key or a signal. Returns false if the user quits or the terminal is gone. */
static bool act(struct showing *showing, int key)
{
	struct memphis_top_view *view = &showing->view;

	if (key == 'q' || key == MEMPHIS_SCREEN_HUNG_UP)
		return false;
	if (key == 'p')
		view->paused = !view->paused;
	if (key == 's')
		view->order = view->order[1].name ? view->order + 1 : memphis_top_orders;
	return true;
}

/* Work that a separate thread does while this thread responds to keys. */
struct aside {
	int (*work)(struct showing *showing);
	struct showing *showing;
	int rc, ended[2]; /* ended: a pipe that is closed at the end of the work */
};

static void *work_aside(void *context)
{
	struct aside *aside = context;

	aside->rc = aside->work(aside->showing);
	close(aside->ended[1]);
	return NULL;
}

/* Starts the thread with all signals blocked, so that this thread receives them. */
static int start_aside(struct aside *aside, pthread_t *thread)
{
	sigset_t all, before;
	int rc;

	if (pipe2(aside->ended, O_CLOEXEC))
		return -errno;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = -pthread_create(thread, NULL, work_aside, aside);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (rc) {
		close(aside->ended[0]);
		close(aside->ended[1]);
	}
	return rc;
}

/*
 * Does the work in a separate thread. Reading large files and finding names takes seconds. If the user quits,
 * the process ends together with that thread, without waiting for it.
 */
static int do_aside(struct showing *showing, int (*work)(struct showing *showing))
{
	struct aside aside = {.work = work, .showing = showing};
	pthread_t thread;
	int key;

	if (start_aside(&aside, &thread))
		return work(showing);
	while ((key = memphis_screen_wait(INFINITY, aside.ended[0])) != MEMPHIS_SCREEN_READY) {
		if (act(showing, key))
			continue;
		memphis_screen_close();
		_exit(0);
	}
	pthread_join(thread, NULL);
	close(aside.ended[0]);
	return aside.rc;
}

static int on_terminal(struct showing *showing)
{
	double next_s = memphis_clock_s();
	int rc = look(showing), key;

	if (!rc)
		rc = memphis_screen_open();
	showing->view.naming = true;
	while (!rc) {
		rc = draw(showing);
		if (!rc && showing->view.naming) {
			rc = do_aside(showing, find_names);
			continue;
		}
		if (next_s < memphis_clock_s())
			next_s = memphis_clock_s() + showing->options->interval_s;
		key = rc ? 'q' : memphis_screen_wait(next_s, -1);
		if (key != MEMPHIS_SCREEN_TIME) {
			if (!act(showing, key))
				break;
			continue;
		}
		if (!showing->view.paused)
			rc = do_aside(showing, refresh);
	}
	memphis_screen_close();
	return rc;
}

static int print(struct showing *showing)
{
	struct memphis_text text = {0};
	int rc = put(showing, &text);

	if (!rc && (fwrite(text.text, 1, text.bytes, stdout) != text.bytes || fflush(stdout)))
		rc = memphis_fail(&showing->error, -errno, "standard output: cannot write: %s",
				  strerror(errno));
	memphis_text_close(&text);
	return rc;
}

static bool has_ended(const struct showing *showing)
{
	size_t i;

	if (!showing->options->watch.pid || !showing->live.metadata.count ||
	    memphis_watch_may_start(&showing->options->watch))
		return false;
	for (i = 0; i < showing->live.metadata.count; i++)
		if (showing->live.list[i].state == MEMPHIS_LIVE_RUNNING)
			return false;
	return true;
}

/* Prints tables as plain text. The first look prints nothing: it only provides the base for the rates in the first table. */
static int in_lines(struct showing *showing)
{
	const long count = showing->options->count;
	long printed = 0;
	int rc = look(showing);

	while (!rc && (!count || printed < count)) {
		memphis_clock_wait(showing->options->interval_s);
		rc = refresh(showing);
		if (!rc && printed++)
			putchar('\n');
		if (!rc)
			rc = print(showing);
		if (!count && has_ended(showing))
			break;
	}
	return rc;
}

static int top(struct options *options)
{
	struct showing showing = {.options = options, .view = {.order = &memphis_top_orders[options->order]}};
	int rc;

	memphis_watch_put_waiting(&options->watch, &showing.waiting);
	showing.view.waiting = showing.waiting.failed ? "waiting" : showing.waiting.text;
	rc = memphis_is_terminal(1) && !options->count ? on_terminal(&showing) : in_lines(&showing);
	if (rc)
		fprintf(stderr, "memphis top: %s\n", showing.error.text);
	memphis_text_close(&showing.waiting);
	memphis_live_close(&showing.live);
	memphis_watch_close(&options->watch);
	return rc ? MEMPHIS_EXIT_ERROR : 0;
}

/*
 * Returns true if the paths contain both perf recordings and others. The tables of a process can show the
 * samples of only one of them.
 */
static bool are_mixed(char *const *paths, size_t count)
{
	size_t recordings = 0, i;

	for (i = 0; i < count; i++)
		recordings += memphis_perfdata_is(paths[i]);
	return recordings && recordings < count;
}

static int run(int count, char **arguments)
{
	struct options options = {.color = "auto", .interval_s = 1};
	struct memphis_perfdata files;
	struct memphis_error error;
	int status = memphis_options_parse(&usage, count, arguments, &options);

	if (status >= 0)
		return status;
	if (are_mixed(arguments + optind, (size_t)(count - optind))) {
		fputs("memphis top: recordings of perf can't be joined to other files here; use memphis report\n",
		      stderr);
		return memphis_options_refuse(usage.command);
	}
	if (memphis_perfdata_expand(&files, arguments + optind, (size_t)(count - optind), &error)) {
		fprintf(stderr, "memphis top: %s\n", error.text);
		memphis_perfdata_close(&files);
		return MEMPHIS_EXIT_ERROR;
	}
	options.watch.paths = files.paths;
	options.watch.path_count = files.count;
	if (!options.watch.path_count + !options.watch.pid + !options.watch.host < 2) {
		fputs("memphis top: give only one of -p, --device and directories\n", stderr);
		return memphis_options_refuse(usage.command);
	}
	if (!options.watch.path_count && !options.watch.pid)
		options.watch.host = true;
	status = top(&options);
	memphis_perfdata_close(&files);
	return status;
}

const struct memphis_command memphis_top_command = {
	"top", "shows remote loads and leading variables while programs run", run};
