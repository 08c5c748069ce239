/* SPDX-License-Identifier: GPL-2.0-only */
/* Copies of the user's stack. User space uses them to find the callers of the function that contains a sample. */
#ifndef MEMPHIS_STACK_H
#define MEMPHIS_STACK_H

#include <linux/percpu.h>
#include <linux/types.h>

struct memphis_device_thread;
struct memphis_sample;
struct pt_regs;

/*
 * Limits the time that a CPU spends on copying stacks in interrupts, whichever threads are interrupted. Only
 * the handler on this CPU uses it.
 */
struct memphis_stack_budget {
	u64 interrupts; /* interrupts of this CPU that the module has handled */
	u64 seen;       /* number of these interrupts that `bytes` already includes */
	u32 bytes;      /* number of bytes that may be copied now */
};

DECLARE_PER_CPU(struct memphis_stack_budget, memphis_stack_budget);

/* Counts an interrupt. Each interrupt adds to the budget of this CPU. */
static __always_inline void memphis_stack_interrupt(void)
{
	this_cpu_inc(memphis_stack_budget.interrupts);
}

/**
 * memphis_stack_budget_bytes() - returns how many bytes of stacks are copied for each interrupt, on average
 *
 * Return: the current value of the module parameter stack_budget, at most MEMPHIS_STACK_BYTES_MAX.
 */
u32 memphis_stack_budget_bytes(void);

/**
 * memphis_stack_take() - copies the top of the current task's user stack to the thread's ring of stacks
 * @thread: the thread whose task is current; its mm is the task's
 * @sample: the sample that is written to the ring next
 * @regs: registers as perf passes them to the overflow handler
 *
 * Does nothing if the ring of stacks is full, or if the instruction is in the program's own code and the data
 * is not on the thread's stack. Copies no bytes if the budget of this CPU is used up. Copies fewer bytes than
 * the session requests if memory is not mapped, or, in the program's own code, only the bytes below the data.
 *
 * Context: any, also NMI; reads user memory without page faults.
 */
void memphis_stack_take(struct memphis_device_thread *thread, const struct memphis_sample *sample,
			const struct pt_regs *regs);

#endif
