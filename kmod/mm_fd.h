/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Threads of other processes: whether the caller may look at the memory that they run in.
 */
#ifndef MEMPHIS_MM_FD_H
#define MEMPHIS_MM_FD_H

struct mm_struct;
struct task_struct;

/**
 * memphis_mm_from_fd() - a task's memory, if the caller may look at it
 * @task: the task
 * @descriptor: the caller's: of a file of procfs that stands for the task's memory
 *
 * Return: the memory, with mmgrab(); an error pointer: -EBADF no such descriptor, -EACCES it stands for something else.
 */
struct mm_struct *memphis_mm_from_fd(struct task_struct *task, int descriptor);

#endif
