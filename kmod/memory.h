/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Threads of other processes: whether the caller may look at the memory that they run in.
 */
#ifndef MEMPHIS_MEMORY_H
#define MEMPHIS_MEMORY_H

struct mm_struct;
struct task_struct;

/* The task's memory, with mmgrab(), if the caller's descriptor is a file of procfs that stands for it; else -EACCES. */
struct mm_struct *memphis_memory_of(struct task_struct *task, int descriptor);

#endif
