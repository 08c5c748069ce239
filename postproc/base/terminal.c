// SPDX-License-Identifier: BSD-3-Clause
/* Detects whether output goes to a terminal and whether to use colour. Also runs the pager and draws the progress line. */
#include "base/terminal.h"
#include "base/layout.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <memphis/format.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

bool memphis_is_terminal(int fd)
{
	const char *kind = getenv("TERM");

	return isatty(fd) && kind && *kind && strcmp(kind, "dumb") != 0;
}

bool memphis_parse_color(const char *when, bool *color)
{
	const char *unwanted = getenv("NO_COLOR");

	if (!strcmp(when, "auto"))
		*color = memphis_is_terminal(STDOUT_FILENO) && !(unwanted && *unwanted);
	else if (!strcmp(when, "always") || !strcmp(when, "never"))
		*color = *when == 'a';
	else
		return false;
	return true;
}

size_t memphis_terminal_width(bool file)
{
	const char *columns = getenv("COLUMNS");
	struct winsize window;
	char *end = NULL;
	size_t width = columns && *columns >= '0' && *columns <= '9' ? strtoul(columns, &end, 10) : 0;

	if (end && *end)
		width = 0;

	if (!width && !file && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &window))
		width = window.ws_col;
	if (!width)
		width = 80;
	if (width > MEMPHIS_LAYOUT_MOST)
		width = MEMPHIS_LAYOUT_MOST;
	return width > MEMPHIS_LAYOUT_LEAST ? width : MEMPHIS_LAYOUT_LEAST;
}

/* ---- the pager, which gets the output if standard output is a terminal ---- */

static pid_t pager;
static int saved_stdout = -1; /* duplicate of the original standard output */

/*
 * Signals that this process ignores while the pager runs. Keys such as Ctrl-C are meant for the pager, and
 * SIGPIPE must not end this process if the pager exits before all output is written.
 */
static struct {
	int number;
	sighandler_t before;
} ignored[] = {{SIGINT, SIG_DFL}, {SIGQUIT, SIG_DFL}, {SIGPIPE, SIG_DFL}};
#define IGNORED (sizeof(ignored) / sizeof(*ignored))

/* Returns the command that runs the pager, or NULL if the output is not paged. */
static const char *pager_command(void)
{
	const char *command = getenv("MEMPHIS_PAGER");

	if (!command)
		command = getenv("PAGER");
	if (!command)
		command = "less";
	return *command && strcmp(command, "cat") != 0 ? command : NULL;
}

/*
 * Executes the pager in the child process. A successful exec closes the descriptor `failure`; if exec fails,
 * a byte is written to it.
 */
static void run_pager(const char *command, int from, int failure)
{
	dup2(from, STDIN_FILENO);
	/* F: exit if the text fits on one screen; R: show colours; X: leave the text on the screen. */
	setenv("LESS", "FRX", 0);
	if (strpbrk(command, " \t\n|&;<>()$`\\\"'*?[]#~=%{}"))
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	else
		execlp(command, command, (char *)NULL);
	if (write(failure, "", 1) < 1)
		_exit(126);
	_exit(127);
}

void memphis_pager_start(void)
{
	const char *command = pager_command();
	int text[2], failure[2];
	char byte;
	size_t i;

	if (pager || !command || !memphis_is_terminal(STDOUT_FILENO) || pipe2(text, O_CLOEXEC))
		return;
	if (pipe2(failure, O_CLOEXEC)) {
		close(text[0]);
		close(text[1]);
		return;
	}
	fflush(stdout);
	pager = fork();
	if (!pager)
		run_pager(command, text[0], failure[1]);
	close(failure[1]);
	close(text[0]);
	if (pager > 0 && read(failure[0], &byte, 1) == 0) {
		saved_stdout = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
		dup2(text[1], STDOUT_FILENO);
		for (i = 0; i < IGNORED; i++)
			ignored[i].before = signal(ignored[i].number, SIG_IGN);
	} else {
		if (pager > 0)
			waitpid(pager, NULL, 0);
		pager = 0;
	}
	close(failure[0]);
	close(text[1]);
}

int memphis_pager_finish(int rc)
{
	int status = 0;
	size_t i;

	if (!rc && fflush(stdout))
		rc = -errno;
	if (!pager)
		return rc;
	/* Discard output that the pager did not read. Otherwise, it would appear on the terminal. */
	__fpurge(stdout);
	/* Close the last descriptor of the pipe's write end, so that the pager reads end-of-file. */
	dup2(saved_stdout, STDOUT_FILENO);
	close(saved_stdout);
	while (waitpid(pager, &status, 0) < 0 && errno == EINTR)
		;
	pager = 0;
	for (i = 0; i < IGNORED; i++)
		signal(ignored[i].number, ignored[i].before);
	/* Exit status 126 or 127: the shell could not run the command. */
	if (WIFEXITED(status) && (WEXITSTATUS(status) == 126 || WEXITSTATUS(status) == 127))
		return -EPIPE;
	return rc == -EPIPE ? 0 : rc;
}

int memphis_write_out(const struct memphis_text *text, const char *path, bool with_pager,
		      struct memphis_error *error)
{
	const char *name = path ? path : "standard output";
	FILE *to = path ? fopen(path, "w") : stdout;
	int rc;

	if (!to)
		return memphis_fail(error, -errno, "%s: cannot write: %s", name, strerror(errno));
	if (!path && with_pager && !text->failed)
		memphis_pager_start();
	rc = text->failed ? -ENOMEM : 0;
	if (!rc && (fwrite(text->text, 1, text->bytes, to) != text->bytes || fflush(to)))
		rc = -errno;
	if (path && fclose(to) && !rc)
		rc = -errno;
	if (!path)
		rc = memphis_pager_finish(rc);
	if (rc == -ENOMEM && text->failed)
		return memphis_fail(error, rc, "out of memory");
	return rc ? memphis_fail(error, rc, "%s: cannot write: %s", name, strerror(-rc)) : 0;
}

/* ---- the progress of reading sample files: a separate thread draws the line; reading threads only count bytes ---- */

#define FIRST_MS 1000 /* delay before the line is first drawn */
#define NEXT_MS  200

uint64_t memphis_progress_bytes;

static struct {
	bool running, ending;
	pthread_t thread;
	pthread_mutex_t lock; /* protects the fields below */
	pthread_cond_t wake;
	uint64_t total;
	const char *stage;
} progress = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t file_bytes(int directory, const char *name)
{
	struct stat status;

	return fstatat(directory, name, &status, 0) || !S_ISREG(status.st_mode) ? 0
										: (uint64_t)status.st_size;
}

static bool is_sample_file(const char *name)
{
	size_t bytes = strlen(name), suffix = strlen(MEMPHIS_FILE_SUFFIX);

	return bytes > suffix && !strcmp(name + bytes - suffix, MEMPHIS_FILE_SUFFIX);
}

static uint64_t count_sample_bytes(const char *path)
{
	DIR *directory = opendir(path);
	struct dirent *entry;
	uint64_t bytes = 0;

	if (!directory)
		return file_bytes(AT_FDCWD, path);
	while ((entry = readdir(directory)))
		if (is_sample_file(entry->d_name))
			bytes += file_bytes(dirfd(directory), entry->d_name);
	closedir(directory);
	return bytes;
}

static void draw_progress(void)
{
	uint64_t done = __atomic_load_n(&memphis_progress_bytes, __ATOMIC_RELAXED), total = progress.total;
	struct winsize window = {0};
	char line[256], bar[128];
	int columns = 80, room, bytes;

	if (!ioctl(STDERR_FILENO, TIOCGWINSZ, &window) && window.ws_col)
		columns = window.ws_col;
	if (columns > (int)sizeof(line) - 1)
		columns = sizeof(line) - 1;
	if (done > total)
		done = total;
	if (progress.stage || !total)
		bytes = snprintf(line, sizeof(line), "memphis: %s ...",
				 progress.stage ? progress.stage : "reading");
	else
		bytes = snprintf(line, sizeof(line), "memphis: %3.0f %% of %.1f MB read ",
				 100.0 * (double)done / (double)total, (double)total / 1e6);
	/* Leave the last column free: some terminals would otherwise wrap the line. */
	room = columns - 1 - bytes - 2;
	if (room > (int)sizeof(bar) - 1)
		room = sizeof(bar) - 1;
	if (!progress.stage && total && room >= 10) {
		int full = (int)((double)room * (double)done / (double)total);

		memset(bar, '.', sizeof(bar));
		memset(bar, '=', (size_t)full);
		bytes += snprintf(line + bytes, sizeof(line) - (size_t)bytes, "[%.*s]", room, bar);
	}
	dprintf(STDERR_FILENO, "\r%.*s\033[K", columns - 1, line);
}

/* Waits for `ms` milliseconds, with the lock held. Returns true if the progress line is to end. */
static bool wait_for_end(long ms)
{
	struct timespec until;
	int rc = 0;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += ms * 1000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	while (!progress.ending && !rc)
		rc = pthread_cond_timedwait(&progress.wake, &progress.lock, &until);
	return progress.ending;
}

static void *show_progress(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&progress.lock);
	if (!wait_for_end(FIRST_MS)) {
		do
			draw_progress();
		while (!wait_for_end(NEXT_MS));
		dprintf(STDERR_FILENO, "\r\033[K");
	}
	pthread_mutex_unlock(&progress.lock);
	return NULL;
}

void memphis_progress_begin(char *const *paths, size_t count)
{
	pthread_condattr_t monotonic;
	sigset_t all, before;
	size_t i;

	if (progress.running || !memphis_is_terminal(STDERR_FILENO))
		return;
	progress.ending = false;
	progress.stage = NULL;
	progress.total = memphis_progress_bytes = 0;
	for (i = 0; i < count; i++)
		progress.total += count_sample_bytes(paths[i]);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&progress.wake, &monotonic);
	pthread_condattr_destroy(&monotonic);
	/* Block all signals in the new thread; the other threads of the program handle them. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	progress.running = !pthread_create(&progress.thread, NULL, show_progress, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void memphis_progress_begin_stage(const char *what)
{
	pthread_mutex_lock(&progress.lock);
	progress.stage = what;
	pthread_mutex_unlock(&progress.lock);
}

void memphis_progress_end(void)
{
	if (!progress.running)
		return;
	pthread_mutex_lock(&progress.lock);
	progress.ending = true;
	pthread_cond_signal(&progress.wake);
	pthread_mutex_unlock(&progress.lock);
	pthread_join(progress.thread, NULL);
	pthread_cond_destroy(&progress.wake);
	progress.running = false;
}
