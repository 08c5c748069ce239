// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copies of the user's stack. All code here may run in an NMI, and does not trust any value that user space can write.
 */
#include <linux/compiler.h>
#include <linux/ptrace.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>

#include "pmu.h"
#include "session.h"
#include "stack.h"
#include "thread.h"

static_assert(sizeof(struct memphis_user_stack) == 40);
static_assert(MEMPHIS_PROGRAM_OFFSET >= sizeof(struct memphis_control));
static_assert(MEMPHIS_PROGRAM_OFFSET + sizeof(struct memphis_program) <= MEMPHIS_PAGE_BYTES);

static bool memphis_is_program_code(const struct memphis_session *session, u64 pc)
{
	const struct memphis_program *program = (void *)session->control + MEMPHIS_PROGRAM_OFFSET;
	u32 i, count = READ_ONCE(program->count);

	if (count > MEMPHIS_PROGRAM_RANGES_MAX)
		return false;
	for (i = 0; i < count; i++)
		if (pc >= READ_ONCE(program->ranges[i].start) && pc < READ_ONCE(program->ranges[i].end))
			return true;
	return false;
}

/*
 * Returns the registers of the user's code that was interrupted, or NULL if the interrupt hit the kernel. With PEBS, they are in the
 * hardware's record. With IBS, perf replaces ip and cs by those of the sampled instruction; the others are those of the
 * interrupt. An interrupt of user code saves its registers at the end of the task's kernel stack, where they are
 * complete.
 */
static const struct pt_regs *memphis_user_regs(const struct pt_regs *regs)
{
	struct pt_regs *user = task_pt_regs(current);

	if (regs->sp >= TASK_SIZE_MAX)
		return NULL;
	if (memphis_pmu.hardware == MEMPHIS_HARDWARE_PEBS)
		return regs;
	return user_mode(user) && user->sp == regs->sp ? user : NULL;
}

void memphis_stack_take(struct memphis_thread *thread, u64 pc, const struct pt_regs *regs)
{
	const u32 bytes = thread->session->config.stack_bytes;
	struct memphis_ring *ring = &thread->ring;
	struct memphis_user_stack *stack;

	if (memphis_is_program_code(thread->session, pc))
		return;
	stack = memphis_ring_stack(ring);
	if (!stack)
		return;
	*stack = (struct memphis_user_stack){.sample = ring->head};
	regs = memphis_user_regs(regs);
	if (regs) {
		stack->ip = regs->ip;
		stack->sp = regs->sp;
		stack->bp = regs->bp;
		stack->bytes = bytes - copy_from_user_nmi(stack + 1, (void __user *)regs->sp, bytes);
	} else {
		stack->flags = MEMPHIS_STACK_IN_KERNEL;
	}
	memphis_ring_put_stack(ring);
}
