/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the sample files that a live view shows: files in given directories, or of processes on this machine. */
#ifndef MEMPHIS_WATCH_H
#define MEMPHIS_WATCH_H

#include "top/live.h"

struct memphis_watch {
	char *const *paths; /* directories and files */
	size_t path_count;
	/*
	 * Process whose files are shown. The files of processes that it starts are also shown, as memphis
	 * record and mpirun start the program. 0: none.
	 */
	long pid;
	bool host; /* show all processes of this machine whose open files this user may see */
	/* directories in which the scanned processes have sample files */
	struct memphis_strings directories;
	size_t met; /* number of times that a scan found a process with sample files */
};

/*
 * Adds the files that exist now. Missing files and directories may appear later. Returns 0, or a negative
 * errno with a message in *error: -ENOMEM, or -ESRCH if there is no process `pid` and it never had sample
 * files.
 */
int memphis_watch_look(struct memphis_watch *watch, struct memphis_live *live, struct memphis_error *error);

/* Returns true if the process `pid` still exists, so that it may start other processes to be shown. */
bool memphis_watch_may_start(const struct memphis_watch *watch);

/* Appends lines that describe what the view is waiting for. */
void memphis_watch_put_waiting(const struct memphis_watch *watch, struct memphis_text *text);
void memphis_watch_close(struct memphis_watch *watch);

#endif
