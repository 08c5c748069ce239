// SPDX-License-Identifier: GPL-2.0-only
/*
 * The owner's access to its session. As in the kernel's network control groups, a task's descriptors are searched under
 * task_lock(), which keeps the table from being freed.
 */
#include <linux/atomic.h>
#include <linux/fdtable.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm_types.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/workqueue.h>

#include "owner.h"
#include "session.h"
#include "worker.h"

static int memphis_is_file(const void *wanted, struct file *file, unsigned int descriptor)
{
	return file == wanted;
}

/* Returns true if the thread has a descriptor of the session's file. */
static bool memphis_has_descriptor(const struct memphis_session *session, const struct task_struct *thread)
{
	return iterate_fd(thread->files, 0, memphis_is_file, session->file);
}

/*
 * Returns true if the thread has access to the session. It has no mm if it exits, and another one after it has executed another
 * program.
 */
static bool memphis_has_access(const struct memphis_session *session, const struct task_struct *thread)
{
	return thread->mm == session->mm &&
	       (atomic_read(&session->owner_maps) || memphis_has_descriptor(session, thread));
}

/*
 * Returns true if the test holds for a thread of the owner. Nearly always all threads share one mm and one table of descriptors, so
 * the test is not repeated for the next thread that has the same ones.
 */
static bool memphis_owner_any(const struct memphis_session *session,
			      bool (*test)(const struct memphis_session *, const struct task_struct *))
{
	const struct files_struct *files = NULL;
	const struct mm_struct *mm = NULL;
	struct task_struct *leader, *thread;
	bool found = false;

	rcu_read_lock();
	leader = pid_task(session->owner, PIDTYPE_TGID);
	if (!leader)
		goto unlock;
	for_each_thread (leader, thread) {
		task_lock(thread);
		if (thread->files != files || thread->mm != mm) {
			files = thread->files;
			mm = thread->mm;
			found = test(session, thread);
		}
		task_unlock(thread);
		if (found)
			break;
	}
unlock:
	rcu_read_unlock();
	return found;
}

void memphis_owner_review(struct memphis_session *session)
{
	if (!memphis_owner_any(session, memphis_has_access))
		memphis_session_end(session);
}

static void memphis_owner_work(struct work_struct *work)
{
	struct memphis_session *session = container_of(work, struct memphis_session, review);

	memphis_owner_review(session);
	fput(session->file);
}

void memphis_owner_init(struct memphis_session *session, struct file *file)
{
	session->file = file;
	atomic_set(&session->owner_maps, 0);
	INIT_WORK(&session->review, memphis_owner_work);
}

void memphis_owner_mapped(const struct vm_area_struct *vma)
{
	struct memphis_session *session = vma->vm_file->private_data;

	if (vma->vm_mm == session->mm)
		atomic_inc(&session->owner_maps);
}

/*
 * If the mapping is the last user of the file, the session ends with the file. If the owner has a descriptor, closing it will end the
 * session. Both are usual, and happen before munmap() or close() returns; only the rare rest is left to a kernel thread.
 */
void memphis_owner_unmapped(const struct vm_area_struct *vma)
{
	struct memphis_session *session = vma->vm_file->private_data;

	if (vma->vm_mm != session->mm || !atomic_dec_and_test(&session->owner_maps))
		return;
	if (file_count(session->file) == 1 || memphis_owner_any(session, memphis_has_descriptor))
		return;
	get_file(session->file);
	if (!memphis_worker_queue(&session->review))
		fput(session->file);
}
