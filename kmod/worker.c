// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf judges whoever creates an event. For an event of a CPU it asks for the right to look at all that runs there; and
 * to an event that a user without perf_event_paranoid's blessing made, it tells no physical address (7.1 and later).
 * The module gives users samples of threads that it has checked to be theirs, and nodes instead of addresses; so its
 * events are the kernel's own, and are created by one of the kernel's threads.
 */
#include <linux/errno.h>
#include <linux/workqueue.h>

#include "worker.h"

struct memphis_job {
	struct work_struct work;
	int (*function)(void *argument);
	void *argument;
	int result;
};

/* Not bound to the CPU of the request: a thread of a real-time class may have that for itself, for ever. */
static struct workqueue_struct *memphis_queue;

int memphis_worker_init(void)
{
	memphis_queue = alloc_workqueue("memphis", WQ_UNBOUND, 0);
	return memphis_queue ? 0 : -ENOMEM;
}

void memphis_worker_exit(void)
{
	destroy_workqueue(memphis_queue);
}

static void memphis_worker_do(struct work_struct *work)
{
	struct memphis_job *job = container_of(work, struct memphis_job, work);

	job->result = job->function(job->argument);
}

int memphis_worker_run(int (*function)(void *argument), void *argument)
{
	struct memphis_job job = {.function = function, .argument = argument};

	INIT_WORK_ONSTACK(&job.work, memphis_worker_do);
	queue_work(memphis_queue, &job.work);
	flush_work(&job.work);
	destroy_work_on_stack(&job.work);
	return job.result;
}
