// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads of other processes: whether the caller may look at the memory that they run in. The kernel's own answer,
 * ptrace_may_access(), is not there for modules; but it is given to whoever opens /proc/PID/environ or auxv, security
 * modules included. So the caller shows such an open file.
 */
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>

#include "mm_fd.h"

/*
 * These files keep the memory that they were opened for, a reference to it included, as their private data. It is only
 * compared: should a kernel keep something else there, all are refused.
 */
static bool memphis_file_has_mm(const struct file *file, const struct mm_struct *mm)
{
	return mm && file->private_data == mm && (file->f_mode & FMODE_READ) &&
	       file_inode(file)->i_sb->s_magic == PROC_SUPER_MAGIC;
}

struct mm_struct *memphis_mm_from_fd(struct task_struct *task, int descriptor)
{
	struct mm_struct *mm = ERR_PTR(-EACCES);
	struct file *file = fget(descriptor);

	if (!file)
		return ERR_PTR(-EBADF);
	task_lock(task); /* holds task->mm */
	if (memphis_file_has_mm(file, task->mm)) {
		mm = task->mm;
		mmgrab(mm);
	}
	task_unlock(task);
	fput(file);
	return mm;
}
