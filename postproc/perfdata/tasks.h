/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The processes and threads of a recording. Finds which of them has a PID or TID at present, and stores what
 * was recorded of each.
 */
#ifndef MEMPHIS_PERFDATA_TASKS_H
#define MEMPHIS_PERFDATA_TASKS_H

#include <memphis/sample.h>

#include "base/pool.h"
#include "perfdata/chains.h"
#include "perfdata/space.h"
#include "perfdata/spool.h"

#define MEMPHIS_PERFDATA_NAME 16 /* size of a thread's name, including the NUL */

struct memphis_perfdata_thread {
	uint32_t tid;
	size_t image;
	size_t next; /* index + 1 of the next thread of the image; 0 if there is none */
	char name[MEMPHIS_PERFDATA_NAME];
	bool ended;
	uint64_t start_ns, last_ns; /* 0 if unknown */
	struct memphis_accounting accounting;
	struct memphis_spooled chunks;
	struct memphis_perfdata_filling samples;
	struct memphis_sample previous;
	struct memphis_perfdata_chains chains;
};

/*
 * A program that a process executes. A process that calls exec has several images, one after the other. Each
 * image gets its own process file.
 */
struct memphis_perfdata_image {
	uint32_t pid;
	size_t before;       /* index + 1 of the image that had the same PID before; 0 if there is none */
	bool chosen;         /* sample files are made for it */
	uint32_t number;     /* number of chosen images that had the same PID before */
	const uint64_t *run; /* run to which its threads belong; NULL if it gets a new run */
	char name[MEMPHIS_PERFDATA_NAME];
	struct memphis_perfdata_space space;
	struct memphis_spooled chunks; /* chunks of the process file */
	uint64_t start_ns, last_ns;
	/* indices + 1 of its first and last thread, in the order in which they were found; 0 if there is none */
	size_t first, last;
	uint64_t kept, interrupts; /* sums over all threads */
	size_t running;            /* number of known threads that have not ended */
	bool main_ended;           /* the thread whose TID is the PID has ended */
};

/* A thread that was found before, so that most samples need no look-up in tables. */
struct memphis_perfdata_recent {
	uint32_t pid, tid;
	size_t thread; /* index + 1; 0 if there is none */
};

#define MEMPHIS_PERFDATA_RECENT 256

struct memphis_perfdata_tasks {
	struct memphis_perfdata_image *images;
	size_t image_count, image_room;
	struct memphis_perfdata_thread *threads;
	size_t thread_count, thread_room;
	/* Keys: a PID of 4 bytes, or the index of an image followed by a TID. */
	struct memphis_strings pids, tids;
	/* For each key: index of the image or thread that has it at present. */
	size_t *current_images, *current_threads;
	size_t pid_room, tid_room;
	struct memphis_perfdata_recent recent[MEMPHIS_PERFDATA_RECENT]; /* by TID */
};

/* Return the process or thread that has this number at present. Add it if there is none. Return NULL if memory is exhausted. */
struct memphis_perfdata_image *memphis_perfdata_image_of(struct memphis_perfdata_tasks *tasks, uint32_t pid);
struct memphis_perfdata_thread *memphis_perfdata_thread_of(struct memphis_perfdata_tasks *tasks, uint32_t pid,
							   uint32_t tid);

/*
 * Add an image: for a forked process, with the maps of its parent, or for a program that a process executes.
 * Return NULL if memory is exhausted.
 */
struct memphis_perfdata_image *memphis_perfdata_image_fork(struct memphis_perfdata_tasks *tasks, uint32_t pid,
							   uint32_t parent);
struct memphis_perfdata_image *memphis_perfdata_image_exec(struct memphis_perfdata_tasks *tasks,
							   uint32_t pid);

/* Adds a thread. It replaces an ended thread with the same TID. Returns NULL if memory is exhausted. */
struct memphis_perfdata_thread *memphis_perfdata_thread_add(struct memphis_perfdata_tasks *tasks,
							    uint32_t pid, uint32_t tid);
/*
 * Marks the thread as ended. If the main thread and all other known threads of the process have ended, and it has no
 * samples, frees its maps.
 */
void memphis_perfdata_thread_end(struct memphis_perfdata_tasks *tasks,
				 struct memphis_perfdata_thread *thread);
void memphis_perfdata_tasks_close(struct memphis_perfdata_tasks *tasks);

#endif
