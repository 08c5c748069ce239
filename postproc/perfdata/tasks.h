/* SPDX-License-Identifier: BSD-3-Clause */
/* The processes and threads of a recording: which of them a PID and a TID mean at present, and what was recorded of each. */
#ifndef MEMPHIS_PERFDATA_TASKS_H
#define MEMPHIS_PERFDATA_TASKS_H

#include <memphis/sample.h>

#include "base/pool.h"
#include "perfdata/chains.h"
#include "perfdata/space.h"
#include "perfdata/spool.h"

#define MEMPHIS_PERFDATA_NAME 16 /* bytes of a thread's name, with its NUL */

struct memphis_perfdata_thread {
	uint32_t tid;
	size_t image;
	char name[MEMPHIS_PERFDATA_NAME];
	bool ended;
	uint64_t start_ns, last_ns; /* 0: unknown */
	struct memphis_accounting accounting;
	struct memphis_spooled chunks;
	struct memphis_perfdata_filling samples;
	struct memphis_sample previous;
	struct memphis_perfdata_chains chains;
};

/* What a process executes: one program after the other, each of which has a process file of its own. */
struct memphis_perfdata_image {
	uint32_t pid;
	size_t before;       /* index + 1 of what had the PID before; 0: nothing */
	bool chosen;         /* its files are made */
	uint32_t number;     /* of the chosen ones before it that had the PID */
	const uint64_t *run; /* to which its threads belong, or NULL: to one of its own */
	char name[MEMPHIS_PERFDATA_NAME];
	struct memphis_perfdata_space space;
	struct memphis_spooled chunks; /* of the process file */
	uint64_t start_ns, last_ns;
	uint64_t kept, interrupts; /* of all threads */
	size_t running;            /* threads that have not ended */
};

struct memphis_perfdata_tasks {
	struct memphis_perfdata_image *images;
	size_t image_count, image_room;
	struct memphis_perfdata_thread *threads;
	size_t thread_count, thread_room;
	struct memphis_strings pids,
		tids; /* each string is a number of 4 bytes; of a TID, the index of its image precedes it */
	size_t *current_images, *current_threads; /* by number of the string */
	size_t pid_room, tid_room;
};

/* Return the process or thread that has this number now, which is added if it is new, or NULL if memory is exhausted. */
struct memphis_perfdata_image *memphis_perfdata_image_of(struct memphis_perfdata_tasks *tasks, uint32_t pid);
struct memphis_perfdata_thread *memphis_perfdata_thread_of(struct memphis_perfdata_tasks *tasks, uint32_t pid,
							   uint32_t tid);

/* Adds a process that was forked, with the maps of its parent, or a program that a process has executed. Return NULL if memory is exhausted. */
struct memphis_perfdata_image *memphis_perfdata_image_fork(struct memphis_perfdata_tasks *tasks, uint32_t pid,
							   uint32_t parent);
struct memphis_perfdata_image *memphis_perfdata_image_exec(struct memphis_perfdata_tasks *tasks,
							   uint32_t pid);

/* Adds a thread in place of one of the same number that has ended. Returns NULL if memory is exhausted. */
struct memphis_perfdata_thread *memphis_perfdata_thread_add(struct memphis_perfdata_tasks *tasks,
							    uint32_t pid, uint32_t tid);
/* Ends the thread. The maps of a process without threads and samples are forgotten. */
void memphis_perfdata_thread_end(struct memphis_perfdata_tasks *tasks,
				 struct memphis_perfdata_thread *thread);
void memphis_perfdata_tasks_close(struct memphis_perfdata_tasks *tasks);

#endif
