// SPDX-License-Identifier: GPL-2.0-only
/*
 * Access check for threads of other processes. Modules can't call ptrace_may_access(). But the kernel calls
 * it, including the checks of security modules, when a procfs file that shows a process's memory is opened.
 * So the caller passes such an open file as proof of access.
 *
 * perf requires PTRACE_MODE_READ, which opening /proc/PID/environ or /proc/PID/auxv also requires. Reading
 * the contents of the memory requires more: PTRACE_MODE_ATTACH, the right to attach by ptrace(2), which
 * security modules such as Yama restrict further. Opening /proc/PID/mem requires it. For sessions with
 * stacks, this module requires it, too, although perf does not.
 */
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/string.h>

#include "mm_fd.h"

/*
 * Returns true if the file proves access to the mm. The private data of such a file is the mm for which it
 * was opened, with a reference. The pointer is compared but not dereferenced, so if a kernel stores something
 * else there, every file is rejected. The file's name can be trusted, because the kernel names the files of
 * procfs and nobody can rename them.
 */
static bool memphis_file_has_mm(struct file *file, const struct mm_struct *mm, bool contents)
{
	return mm && file->private_data == mm && (file->f_mode & FMODE_READ) &&
	       file_inode(file)->i_sb->s_magic == PROC_SUPER_MAGIC &&
	       (!contents || !strcmp(file_dentry(file)->d_name.name, "mem"));
}

struct mm_struct *memphis_mm_from_fd(struct task_struct *task, int descriptor, bool contents)
{
	struct mm_struct *mm = ERR_PTR(-EACCES);
	struct file *file = fget(descriptor);

	if (!file)
		return ERR_PTR(-EBADF);
	task_lock(task); /* prevents task->mm from changing */
	if (memphis_file_has_mm(file, task->mm, contents)) {
		mm = task->mm;
		mmgrab(mm);
	}
	task_unlock(task);
	fput(file);
	return mm;
}
