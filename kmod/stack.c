// SPDX-License-Identifier: GPL-2.0-only
/* Copies of the user's stack. All code here may run in an NMI, and does not trust any value that user space can write. */
#include <linux/compiler.h>
#include <linux/irqflags.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>

#include "home.h"
#include "pmu.h"
#include "session.h"
#include "stack.h"
#include "thread.h"

static_assert(sizeof(struct memphis_user_stack) == 40);
static_assert(MEMPHIS_PROGRAM_OFFSET >= sizeof(struct memphis_control));
static_assert(MEMPHIS_PROGRAM_OFFSET + sizeof(struct memphis_program) <= MEMPHIS_PAGE_BYTES);

static unsigned int stack_budget = 2048;
module_param(stack_budget, uint, 0644);
MODULE_PARM_DESC(
	stack_budget,
	"Bytes of user stacks that are copied for each interrupt of a CPU, on average over some 100 interrupts (default 2048). perf lowers kernel.perf_event_max_sample_rate, for all users and for good, if interrupts take longer than 2.5 microseconds on average over 128.");

DEFINE_PER_CPU(struct memphis_stack_budget, memphis_stack_budget);

u32 memphis_stack_budget_bytes(void)
{
	return min_t(u32, READ_ONCE(stack_budget), MEMPHIS_STACK_BYTES_MAX);
}

/*
 * Takes the bytes from the budget of this CPU and returns true, or returns false if the budget is too small.
 * Each interrupt adds to the budget, up to the size of the largest stack. A stack is copied as a whole or not
 * at all. A part of a stack would seldom reach a frame of the program, especially in deep chains. Copying
 * whole stacks therefore makes the copied stacks a fair selection.
 */
static bool memphis_budget_take(u32 bytes)
{
	struct memphis_stack_budget *budget = this_cpu_ptr(&memphis_stack_budget);
	const u64 interrupts = budget->interrupts - budget->seen;

	budget->seen = budget->interrupts;
	/* Limit the number of interrupts first, so that the product does not overflow. */
	budget->bytes = min_t(u64,
			      budget->bytes + min_t(u64, interrupts, MEMPHIS_STACK_BYTES_MAX) *
						      memphis_stack_budget_bytes(),
			      MEMPHIS_STACK_BYTES_MAX);
	if (budget->bytes < bytes)
		return false;
	budget->bytes -= bytes;
	return true;
}

/* Returns the number of bytes up to the first page that is missing or belongs to a device. */
static u32 memphis_memory_bytes(unsigned long from, u32 bytes)
{
	unsigned long at = from;

	while (at < from + bytes) {
		if (!memphis_is_memory(at))
			return at - from;
		at = (at & PAGE_MASK) + PAGE_SIZE;
	}
	return bytes;
}

/*
 * Copies user memory up to the first page that is not ordinary memory. Reading the registers of a device may
 * change its state, and takes microseconds for each word. Interrupts are disabled, so that the pages that
 * were checked are the pages that are read (home.h). Returns the number of bytes.
 */
static u32 memphis_copy_memory(void *to, unsigned long from, u32 bytes)
{
	unsigned long flags;

	local_irq_save(flags);
	bytes = memphis_memory_bytes(from, bytes);
	if (bytes)
		bytes -= copy_from_user_nmi(to, (void __user *)from, bytes);
	local_irq_restore(flags);
	return bytes;
}

static bool memphis_is_program_code(const struct memphis_device_session *session, u64 pc)
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
 * Returns the registers of the interrupted user code, or NULL if the interrupt hit the kernel. With PEBS,
 * they come from the hardware's record. With IBS, perf replaces ip and cs by those of the sampled
 * instruction, and the other registers are those of the interrupt. An interrupt of user code saves all its
 * registers at the end of the task's kernel stack, so they are complete there.
 *
 * At the first instructions of a system call, the stack pointer is still the user's, but the registers on the
 * kernel stack are older. This case is recognised by the interrupt flag: user code has set it, and the CPU
 * clears it at a system call.
 */
static const struct pt_regs *memphis_user_regs(const struct pt_regs *regs)
{
	struct pt_regs *user = task_pt_regs(current);

	if (regs->sp >= TASK_SIZE_MAX)
		return NULL;
	if (memphis_pmu.hardware == MEMPHIS_HARDWARE_PEBS)
		return regs;
	return regs->flags & X86_EFLAGS_IF && user_mode(user) && user->sp == regs->sp ? user : NULL;
}

/* Returns true if the data of the sample is on the thread's stack. The bounds of the stack come from user space. */
static bool memphis_is_on_stack(const struct memphis_device_thread *thread, u64 address)
{
	const struct memphis_control *control = thread->ring.control;

	return address < READ_ONCE(control->stack_high) && address >= READ_ONCE(control->stack_low);
}

/*
 * Returns the number of stack bytes that are needed to find the frame of the data: the bytes of all inner
 * frames. If the data is in the innermost frame, its registers are sufficient. The frame is not found if a
 * function stores the address of its frame above the data (over-aligned variables together with
 * variable-length arrays).
 */
static u32 memphis_bytes_below(u64 address, const struct pt_regs *regs, u32 bytes)
{
	return address <= regs->sp ? 0 : min_t(u64, bytes, round_up(address - regs->sp, sizeof(u64)));
}

void memphis_stack_take(struct memphis_device_thread *thread, const struct memphis_sample *sample,
			const struct pt_regs *regs)
{
	const bool is_program = memphis_is_program_code(thread->session, sample->pc);
	u32 bytes = thread->session->config.stack_bytes;
	struct memphis_ring *ring = &thread->ring;
	struct memphis_user_stack *stack;

	if (is_program && !memphis_is_on_stack(thread, sample->address))
		return;
	regs = memphis_user_regs(regs);
	if (is_program && !regs)
		return;
	stack = memphis_ring_stack(ring);
	if (!stack)
		return;
	*stack = (struct memphis_user_stack){.sample = ring->head};
	if (regs) {
		stack->ip = regs->ip;
		stack->sp = regs->sp;
		stack->bp = regs->bp;
		if (is_program)
			bytes = memphis_bytes_below(sample->address, regs, bytes);
		if (memphis_budget_take(bytes))
			stack->bytes = memphis_copy_memory(stack + 1, regs->sp, bytes);
		else
			stack->flags = MEMPHIS_STACK_OVER_BUDGET;
	} else {
		stack->flags = MEMPHIS_STACK_IN_KERNEL;
	}
	memphis_ring_put_stack(ring);
}
