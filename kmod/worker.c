// SPDX-License-Identifier: GPL-2.0-only
/*
 * Executes functions in a kernel thread, so that perf events are created with the privileges of the kernel.
 *
 * perf checks the privileges of the task that creates an event. For a per-CPU event, the task must be allowed to
 * observe everything on that CPU; and if perf_event_paranoid restricts the task, perf withholds physical addresses
 * (7.1 and later). It is safe to bypass these checks, because the module gives a user only samples of threads that
 * the user may observe, and node numbers instead of physical addresses.
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

/* Not bound to a CPU, because a real-time thread may occupy the requester's CPU indefinitely. */
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

bool memphis_worker_queue(struct work_struct *work)
{
	return queue_work(memphis_queue, work);
}
