/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Copies of the user's stack, from which user space finds out who called the function that a sample is in.
 */
#ifndef MEMPHIS_STACK_H
#define MEMPHIS_STACK_H

#include <linux/percpu.h>
#include <linux/types.h>

struct memphis_device_thread;
struct memphis_sample;
struct pt_regs;

/*
 * Limits the time that copies of stacks take in interrupts of a CPU, whichever threads it interrupts. Used by the handler on this
 * CPU only.
 */
struct memphis_stack_budget {
	u64 interrupts; /* of this CPU, that the module has handled */
	u64 seen;       /* those that are in `bytes` */
	u32 bytes;      /* that may be copied now */
};

DECLARE_PER_CPU(struct memphis_stack_budget, memphis_stack_budget);

/* Counts an interrupt, which adds to the budget of this CPU. */
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
 * Does nothing if the ring of stacks is full, or if the instruction is in the program's own code and the data are not on the thread's stack.
 * Copies nothing if the budget of this CPU is used up, and less than the session wants where no memory is mapped, or, in the program's own code,
 * where the frame of the data begins.
 *
 * Context: any, also NMI; reads user memory without page faults.
 */
void memphis_stack_take(struct memphis_device_thread *thread, const struct memphis_sample *sample,
			const struct pt_regs *regs);

#endif
