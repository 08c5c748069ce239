// SPDX-License-Identifier: BSD-3-Clause
/* Progress of reading sample files. A separate thread draws the line; reading threads only count bytes. */
#include "base/progress.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <memphis/format.h>

#include "base/terminal.h"

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

static uint64_t bytes_of_file(int directory, const char *name)
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

static uint64_t bytes_below(const char *path)
{
	DIR *directory = opendir(path);
	struct dirent *entry;
	uint64_t bytes = 0;

	if (!directory)
		return bytes_of_file(AT_FDCWD, path);
	while ((entry = readdir(directory)))
		if (is_sample_file(entry->d_name))
			bytes += bytes_of_file(dirfd(directory), entry->d_name);
	closedir(directory);
	return bytes;
}

static void draw(void)
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
static bool wait_ms(long ms)
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

static void *show(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&progress.lock);
	if (!wait_ms(FIRST_MS)) {
		do
			draw();
		while (!wait_ms(NEXT_MS));
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
		progress.total += bytes_below(paths[i]);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&progress.wake, &monotonic);
	pthread_condattr_destroy(&monotonic);
	/* Block all signals in the new thread; the other threads of the program handle them. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	progress.running = !pthread_create(&progress.thread, NULL, show, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void memphis_progress_stage(const char *what)
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
