/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Access check for threads of other processes. A file descriptor proves the caller's right to sample these
 * threads, or to read their memory.
 */
#ifndef MEMPHIS_MM_FD_H
#define MEMPHIS_MM_FD_H

#include <linux/types.h>

struct mm_struct;
struct task_struct;

/**
 * memphis_mm_from_fd() - gets a task's mm if the caller may sample it
 * @task: the task
 * @descriptor: the caller's descriptor of the task's /proc/PID/environ, /proc/PID/auxv or /proc/PID/mem
 * @contents: true if samples contain contents of the memory (copies of the stack); then only /proc/PID/mem is
 *     accepted
 *
 * Return: the mm, with a reference from mmgrab(), or an error pointer: -EBADF if there is no such descriptor,
 * -EACCES if the descriptor does not refer to the task's mm.
 */
struct mm_struct *memphis_mm_from_fd(struct task_struct *task, int descriptor, bool contents);

#endif
