// SPDX-License-Identifier: GPL-2.0-only
/*
 * Access check for threads of other processes. Modules cannot call ptrace_may_access(), but the kernel calls
 * it, including the checks of security modules, when /proc/PID/environ or /proc/PID/auxv is opened. So the
 * caller passes such an open file as proof of access.
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
 * The private data of such a file is the mm that it was opened for, with a reference. The pointer is compared,
 * but not dereferenced: if a kernel stores something else there, every file is rejected.
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
	task_lock(task); /* prevents task->mm from changing */
	if (memphis_file_has_mm(file, task->mm)) {
		mm = task->mm;
		mmgrab(mm);
	}
	task_unlock(task);
	fput(file);
	return mm;
}
