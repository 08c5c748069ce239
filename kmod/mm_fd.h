/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Access check for threads of other processes, by a file descriptor that stands for their mm.
 */
#ifndef MEMPHIS_MM_FD_H
#define MEMPHIS_MM_FD_H

struct mm_struct;
struct task_struct;

/**
 * memphis_mm_from_fd() - gets a task's mm, if the caller may read it
 * @task: the task
 * @descriptor: descriptor of the caller, of /proc/PID/environ or auxv of the task
 *
 * Return: the mm, with a reference from mmgrab(), or an error pointer: -EBADF if there is no such descriptor,
 * -EACCES if it stands for anything but the task's mm.
 */
struct mm_struct *memphis_mm_from_fd(struct task_struct *task, int descriptor);

#endif
