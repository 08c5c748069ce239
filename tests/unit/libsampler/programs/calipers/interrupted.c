// SPDX-License-Identifier: BSD-3-Clause
/*
 * An inner caliper whose calls a signal handler interrupts before each of their instructions in turn. The handler opens and closes a caliper.
 * Prints the number of calls that fail, and the least number of instructions of a call.
 */
#include <memphis.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static volatile int step, target, failed;

/* Runs after each instruction while the CPU traces. */
static void on_trap(int number)
{
	(void)number;
	if (step++ != target)
		return;
	failed += memphis_begin("Handler") != 0;
	failed += memphis_end("Handler") != 0;
}

static inline __attribute__((always_inline)) void trace(int on)
{
	unsigned long flags = __builtin_ia32_readeflags_u64();

	__builtin_ia32_writeeflags_u64(on ? flags | 0x100 : flags & ~0x100ul);
}

/* Returns the number of instructions of the call. */
static int interrupt(int (*call)(const char *), const char *name)
{
	step = 0;
	trace(1);
	failed += call(name) != 0;
	trace(0);
	return step;
}

/* Returns the least number of instructions of a call. */
static int interrupt_each(const char *name)
{
	int least = 1000000, begins, ends;

	for (target = 0;; target++) {
		begins = interrupt(memphis_begin, name);
		ends = interrupt(memphis_end, name);
		least = begins < least ? begins : least;
		least = ends < least ? ends : least;
		if (target > begins && target > ends)
			return least;
	}
}

int main(void)
{
	char buffer[8] = "Inner";
	int i, least;

	signal(SIGTRAP, on_trap);
	memphis_begin("Outer");
	for (i = 0; i < 2; i++) {
		memphis_begin("Handler");
		memphis_end("Handler");
	}
	least = interrupt_each("Inner");
	interrupt_each(buffer);
	memphis_end("Outer");
	printf("failed %d, instructions %s\n", failed, least > 30 ? "traced" : "not traced");
	return 0;
}
