// SPDX-License-Identifier: GPL-2.0-only
/*
 * Access check for threads of other processes. ptrace_may_access() is not exported to modules; but the kernel
 * applies it, security modules included, when /proc/PID/environ or auxv is opened. So the caller passes such
 * an open file as proof.
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
 * The private data of these files is the mm that they were opened for, with a reference. The pointer is only
 * compared: if a kernel stores something else there, every file is refused.
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
	task_lock(task); /* keeps task->mm from changing */
	if (memphis_file_has_mm(file, task->mm)) {
		mm = task->mm;
		mmgrab(mm);
	}
	task_unlock(task);
	fput(file);
	return mm;
}
