/* SPDX-License-Identifier: BSD-3-Clause */
/* Divides tasks among threads. */
#ifndef MEMPHIS_WORKERS_H
#define MEMPHIS_WORKERS_H

#include <pthread.h>
#include <stddef.h>

#include "base/error.h"

/*
 * Performs one task. `worker` is the number of the worker that performs it. No two threads use the same
 * number at the same time. Returns 0, or a negative errno with a message in *error.
 */
typedef int memphis_task(void *context, unsigned int worker, size_t task, struct memphis_error *error);

/* Returns the number of workers to use for `tasks` tasks: at most `jobs` (0: one per CPU) and at least 1. */
unsigned int memphis_workers(unsigned int jobs, size_t tasks);

/*
 * Performs the tasks 0 to `tasks` - 1. Each free worker takes the next task in this order. The calling thread
 * is worker 0. If some threads cannot be started, the other workers perform all tasks. After a failure, no
 * more tasks are started. Returns 0, or the result of the failed task with the lowest number, with its
 * message in *error. All tasks before that one have succeeded.
 */
int memphis_workers_run(unsigned int workers, size_t tasks, memphis_task *perform, void *context,
			struct memphis_error *error);

/*
 * Lets tasks do a part of their work one after the other, in the order of their numbers, so that the result
 * does not depend on the workers. Each task must take its turn, even after a failure.
 */
struct memphis_turns {
	pthread_mutex_t lock;
	pthread_cond_t ended;
	size_t next;
};

#define MEMPHIS_TURNS                                                  \
	{                                                              \
		PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 \
	}

/* Waits until all tasks with lower numbers have ended their turns. */
void memphis_turn_begin(struct memphis_turns *turns, size_t task);
void memphis_turn_end(struct memphis_turns *turns);

#endif
