// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf checks the rights of the task that creates an event. For a per-CPU event it requires the right to
 * observe everything that runs there; and if perf_event_paranoid restricts the creator, it withholds physical
 * addresses (7.1 and later). The module gives users only samples of threads that they may observe, and nodes
 * instead of physical addresses; so its events are created by a kernel thread, with the kernel's rights.
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

/* Unbound: a real-time thread may occupy the requester's CPU indefinitely. */
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
