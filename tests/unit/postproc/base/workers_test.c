// SPDX-License-Identifier: BSD-3-Clause
/* Division of tasks among threads. If this fails, samples are counted twice or not at all, or a report names another error in each run. */
#include "base/workers.h"

#include <errno.h>
#include <semaphore.h>
#include <unistd.h>

#include "../../tap.h"

#define TASKS   1000
#define WORKERS 4

struct work {
	unsigned int times[TASKS]; /* how often each task was performed */
	size_t by[WORKERS];        /* number of tasks of each worker */
	size_t fails;              /* the task that fails */
};

static int note(void *context, unsigned int worker, size_t task, struct memphis_error *error)
{
	struct work *work = context;

	work->times[task]++;
	work->by[worker]++;
	return task == work->fails ? memphis_fail(error, -EBADMSG, "task %zu", task) : 0;
}

static void performs_each_task_once(void)
{
	static struct work work = {.fails = TASKS};
	struct memphis_error error;
	size_t wrong = 0, sum = 0, i;

	is(memphis_workers_run(WORKERS, TASKS, note, &work, &error), 0, "no task fails");
	for (i = 0; i < TASKS; i++)
		wrong += work.times[i] != 1;
	for (i = 0; i < WORKERS; i++)
		sum += work.by[i];
	is(wrong, 0, "each task is performed once");
	is(sum, TASKS, "no two threads are the same worker");
	is(memphis_workers_run(WORKERS, 0, note, &work, &error), 0, "there may be no tasks");
}

static void ends_after_a_failure(void)
{
	static struct work work = {.fails = 3};
	struct memphis_error error;
	size_t sum = 0, i;

	ok(memphis_workers_run(1, TASKS, note, &work, &error) == -EBADMSG,
	   "the failure of a task is returned");
	is_text(error.text, "task 3", "with its message");
	for (i = 0; i < TASKS; i++)
		sum += work.times[i];
	is(sum, 4, "the tasks after it are not begun");
}

/* Both tasks fail, the second one first. */
static int fail(void *context, unsigned int worker, size_t task, struct memphis_error *error)
{
	(void)worker;
	if (task)
		sem_post(context);
	else
		sem_wait(context);
	return memphis_fail(error, task ? -EBADMSG : -ENOENT, "task %zu", task);
}

static void returns_the_first_failure(void)
{
	struct memphis_error error;
	sem_t second;

	sem_init(&second, 0, 0);
	ok(memphis_workers_run(2, 2, fail, &second, &error) == -ENOENT,
	   "of several failures, that of the first task is returned, whichever was earlier");
	is_text(error.text, "task 0", "with its message");
	sem_destroy(&second);
}

#define PAIRS 200

struct order {
	struct memphis_turns turns;
	sem_t second[PAIRS];
	size_t list[2 * PAIRS], count;
};

/* The second task of a pair comes to its turn before the first one. */
static int append(void *context, unsigned int worker, size_t task, struct memphis_error *error)
{
	struct order *order = context;

	(void)worker;
	if (task % 2)
		sem_post(&order->second[task / 2]);
	else
		sem_wait(&order->second[task / 2]);
	memphis_turn_begin(&order->turns, task);
	order->list[order->count++] = task;
	memphis_turn_end(&order->turns);
	return task == 2 * PAIRS - 1 ? memphis_fail(error, -EBADMSG, "the last") : 0;
}

static void takes_turns(void)
{
	static struct order order = {.turns = MEMPHIS_TURNS};
	struct memphis_error error;
	size_t wrong = 0, i;

	for (i = 0; i < PAIRS; i++)
		sem_init(&order.second[i], 0, 0);
	ok(memphis_workers_run(2, 2 * PAIRS, append, &order, &error) == -EBADMSG, "the last task fails");
	is(order.count, 2 * PAIRS, "each task has its turn");
	for (i = 0; i < order.count; i++)
		wrong += order.list[i] != i;
	is(wrong, 0, "in the order of the tasks, whichever comes to it first");
	for (i = 0; i < PAIRS; i++)
		sem_destroy(&order.second[i]);
}

static void counts_workers(void)
{
	is(memphis_workers(3, 2), 2, "there are no more workers than tasks");
	is(memphis_workers(3, 10), 3, "nor more than wanted");
	is(memphis_workers(3, 0), 1, "without tasks there is one");
	is(memphis_workers(0, 1 << 30), sysconf(_SC_NPROCESSORS_ONLN), "by default there is one per CPU");
}

int main(void)
{
	performs_each_task_once();
	ends_after_a_failure();
	returns_the_first_failure();
	takes_turns();
	counts_workers();
	return finish();
}
