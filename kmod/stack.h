/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Copies of the user's stack, from which user space finds out who called the function that a sample is in.
 */
#ifndef MEMPHIS_STACK_H
#define MEMPHIS_STACK_H

#include <linux/types.h>

struct memphis_thread;
struct pt_regs;

/**
 * memphis_stack_take() - copies the top of the current task's user stack to the thread's ring of stacks
 * @thread: the thread whose task is current; its mm is the task's
 * @pc: instruction of the sample that is written to the ring next
 * @regs: registers as perf passes them to the overflow handler
 *
 * Does nothing if @pc is in the program's own code, or if the ring of stacks is full.
 *
 * Context: any, also NMI; reads user memory without page faults.
 */
void memphis_stack_take(struct memphis_thread *thread, u64 pc, const struct pt_regs *regs);

#endif
