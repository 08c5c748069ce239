// SPDX-License-Identifier: BSD-3-Clause
/* Divides tasks among threads. Each thread takes the next task from a common counter. */
#include "base/workers.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

struct run {
	memphis_task *perform;
	void *context;
	size_t tasks;
	size_t next; /* number of the next task; incremented atomically */
	bool failed; /* if true, no more tasks are started */
};

struct worker {
	struct run *run;
	unsigned int number;
	pthread_t thread;
	int rc;
	size_t task; /* the task that failed, if rc is not 0 */
	struct memphis_error error;
};

static void *run_worker(void *context)
{
	struct worker *worker = context;
	struct run *run = worker->run;
	size_t task;

	while (!__atomic_load_n(&run->failed, __ATOMIC_RELAXED)) {
		task = __atomic_fetch_add(&run->next, 1, __ATOMIC_RELAXED);
		if (task >= run->tasks)
			break;
		worker->rc = run->perform(run->context, worker->number, task, &worker->error);
		if (!worker->rc)
			continue;
		worker->task = task;
		__atomic_store_n(&run->failed, true, __ATOMIC_RELAXED);
		break;
	}
	return NULL;
}

unsigned int memphis_workers(unsigned int jobs, size_t tasks)
{
	long cpus;

	if (!jobs) {
		cpus = sysconf(_SC_NPROCESSORS_ONLN);
		jobs = cpus > 0 ? (unsigned int)cpus : 1;
	}
	if (jobs > tasks)
		jobs = (unsigned int)tasks;
	return jobs ? jobs : 1;
}

int memphis_workers_run(unsigned int workers, size_t tasks, memphis_task *perform, void *context,
			struct memphis_error *error)
{
	struct run run = {.perform = perform, .context = context, .tasks = tasks};
	struct worker *list = calloc(workers, sizeof(*list)), *failed = NULL;
	unsigned int started = 1, i;
	int rc = 0;

	if (!list)
		return memphis_fail(error, -ENOMEM, "out of memory");
	for (i = 0; i < workers; i++)
		list[i] = (struct worker){.run = &run, .number = i};
	while (started < workers && !pthread_create(&list[started].thread, NULL, run_worker, &list[started]))
		started++;
	run_worker(&list[0]);
	for (i = 1; i < started; i++)
		pthread_join(list[i].thread, NULL);
	for (i = 0; i < started; i++)
		if (list[i].rc && (!failed || list[i].task < failed->task))
			failed = &list[i];
	if (failed) {
		*error = failed->error;
		rc = failed->rc;
	}
	free(list);
	return rc;
}

void memphis_turn_begin(struct memphis_turns *turns, size_t task)
{
	pthread_mutex_lock(&turns->lock);
	while (turns->next != task)
		pthread_cond_wait(&turns->ended, &turns->lock);
	pthread_mutex_unlock(&turns->lock);
}

void memphis_turn_end(struct memphis_turns *turns)
{
	pthread_mutex_lock(&turns->lock);
	turns->next++;
	pthread_cond_broadcast(&turns->ended);
	pthread_mutex_unlock(&turns->lock);
}
