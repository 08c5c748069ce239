/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the sample files that a live view shows: those in directories, or of processes on this machine. */
#ifndef MEMPHIS_WATCH_H
#define MEMPHIS_WATCH_H

#include "top/live.h"

struct memphis_watch {
	char *const *paths; /* directories and files */
	size_t path_count;
	/* A process; the processes that it starts, as memphis record and mpirun do, are looked at, too. 0: none. */
	long pid;
	bool host; /* all processes of this machine whose open files this user may see */
	/* Directories in which the processes that were looked at have sample files. */
	struct memphis_strings directories;
	size_t met; /* how many times a look has found a process with sample files */
};

/*
 * Adds the files that exist now. Missing files and directories may appear later. Returns 0, -ESRCH if there is no process `pid` and it had
 * no sample files, or -ENOMEM, with a message in *error.
 */
int memphis_watch_look(struct memphis_watch *watch, struct memphis_live *live, struct memphis_error *error);

/* Returns true if the process `pid` may yet start others that are shown. */
bool memphis_watch_may_start(const struct memphis_watch *watch);

/* Appends lines that say what the view is waiting for. */
void memphis_watch_put_waiting(const struct memphis_watch *watch, struct memphis_text *text);
void memphis_watch_close(struct memphis_watch *watch);

#endif
