// SPDX-License-Identifier: GPL-2.0-only
/* Creation and release of attached threads, and the registry of all attached threads. */
#include <linux/hashtable.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "budget.h"
#include "compat.h"
#include "session.h"
#include "thread.h"

static DEFINE_HASHTABLE(memphis_registry, 10);
static DEFINE_SPINLOCK(memphis_registry_lock); /* serialises writers; readers use RCU */

/*
 * Returns the number of bytes that an attached thread charges to its user's budget: the size of its areas,
 * and fixed amounts for other memory that the kernel keeps until the last reference is dropped, mainly the
 * task_struct and the events. Without the fixed amounts, a user could pin tens of thousands of dead tasks
 * with small rings.
 */
static u64 memphis_thread_bytes(const struct memphis_config *config)
{
	return memphis_ring_bytes(config) + MEMPHIS_PAGE_BYTES + MEMPHIS_THREAD_BYTES +
	       (hweight32(config->events) - 1 + hweight32(config->counters)) * (u64)MEMPHIS_EVENT_BYTES;
}

struct memphis_device_thread *memphis_thread_create(struct memphis_device_session *session,
						    struct task_struct *task, struct mm_struct *mm, pid_t tid)
{
	const struct memphis_config *config = &session->config;
	struct memphis_device_thread *thread;
	int error;

	thread = kzalloc(sizeof(*thread), MEMPHIS_GFP);
	if (!thread)
		return ERR_PTR(-ENOMEM);
	thread->session = session;
	thread->user = session->user;
	thread->tid = tid;
	INIT_LIST_HEAD(&thread->link);
	kref_init(&thread->ref);
	mutex_init(&thread->counters_lock);

	thread->charged_bytes = memphis_thread_bytes(config);
	error = memphis_user_charge(thread->user, thread->charged_bytes);
	if (error)
		goto free;
	error = memphis_ring_init(&thread->ring, config);
	if (error)
		goto uncharge;
	thread->task = get_task_struct(task);
	thread->mm = mm;
	mmgrab(mm);
	return thread;

uncharge:
	memphis_user_uncharge(thread->user, thread->charged_bytes);
free:
	kfree(thread);
	return ERR_PTR(error);
}

static void memphis_thread_release(struct kref *ref)
{
	struct memphis_device_thread *thread = container_of(ref, struct memphis_device_thread, ref);

	memphis_ring_destroy(&thread->ring);
	memphis_user_uncharge(thread->user, thread->charged_bytes);
	mmdrop(thread->mm);
	put_task_struct(thread->task);
	/* An overflow handler may be traversing this hash bucket, looking for another thread. */
	kfree_rcu(thread, rcu);
}

void memphis_thread_put(struct memphis_device_thread *thread)
{
	kref_put(&thread->ref, memphis_thread_release);
}

int memphis_thread_register(struct memphis_device_thread *thread)
{
	const struct mm_struct *now;
	struct memphis_device_thread *other;
	int error = 0;

	spin_lock(&memphis_registry_lock);
	other = memphis_thread_find(thread->task);
	now = READ_ONCE(thread->task->mm);
	/*
	 * If the mm differs, the task has executed another program since an earlier session registered it.
	 * That session exists as long as any process has its file open, but it may no longer sample the task.
	 * The task's own mm decides, and not that of the new thread: the task may have executed the program
	 * during this attach, and that program may already have attached itself. A task without an mm is
	 * exiting.
	 */
	if (other && now && other->mm != now) {
		hash_del_rcu(&other->registry_node);
		other = NULL;
	}
	if (other)
		error = -EEXIST;
	else
		hash_add_rcu(memphis_registry, &thread->registry_node, (unsigned long)thread->task);
	spin_unlock(&memphis_registry_lock);
	return error;
}

void memphis_thread_unregister(struct memphis_device_thread *thread)
{
	spin_lock(&memphis_registry_lock);
	hash_del_rcu(&thread->registry_node); /* no-op if memphis_thread_register() has removed it */
	spin_unlock(&memphis_registry_lock);
}

struct memphis_device_thread *memphis_thread_find(const struct task_struct *task)
{
	struct memphis_device_thread *thread;

	hash_for_each_possible_rcu_notrace (memphis_registry, thread, registry_node, (unsigned long)task)
		if (thread->task == task)
			return thread;
	return NULL;
}

bool memphis_thread_reap(struct memphis_device_thread *thread)
{
	struct memphis_status *status = thread->ring.status;

	if (status->exited)
		return true;
	/*
	 * A task executes no more instructions once its state is TASK_DEAD (do_task_dead() is its last action)
	 * and it has left its CPU. A zombie may still execute instructions. The acquire pairs with the
	 * scheduler's release of on_cpu; so the accounting is final.
	 */
	if (!memphis_task_is_dead(thread->task) || smp_load_acquire(&thread->task->on_cpu))
		return false;
	/* Release: the final accounting becomes visible before the flag. */
	smp_store_release(&status->exited, 1);
	return true;
}
