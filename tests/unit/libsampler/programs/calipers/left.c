/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calipers that are never ended, or ended in unusual ways, as the argument selects. Prints the sum of the calls' return values,
 * and the first word of the library's status: "sampling" while a caliper is open.
 */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include <memphis.h>

#define TIMES 1000

static jmp_buf back;
static volatile int sum;

static __attribute__((noinline)) void begin_inner(void)
{
	sum += memphis_begin("Inner");
	longjmp(back, 1);
}

static __attribute__((noinline)) void begin_outer(void)
{
	sum += memphis_begin("Outer");
	begin_inner();
	sum += memphis_end("Inner") + memphis_end("Outer");
}

static void jump(void)
{
	volatile int i;

	sum += memphis_begin("Loop");
	for (i = 0; i < TIMES; i++)
		if (!setjmp(back))
			begin_outer();
	sum += memphis_end("Loop");
}

/* Leaves the outermost caliper each time but the last. */
static __attribute__((noinline)) int step(int i)
{
	sum += memphis_begin("Step");
	if (i < TIMES - 1)
		return i;
	sum += memphis_end("Step");
	return 0;
}

static void return_early(void)
{
	int i;

	for (i = 0; i < TIMES; i++)
		sum += step(i) < 0;
}

static void continue_early(void)
{
	int i;

	sum += memphis_begin("Loop");
	for (i = 0; i < TIMES; i++) {
		sum += memphis_begin("Step");
		if (i % 10)
			continue;
		sum += memphis_end("Step");
	}
	sum += memphis_end("Loop");
}

static __attribute__((noinline)) void init(void)
{
	char room[256];

	memset(room, 0, sizeof(room));
	__asm__ volatile("" : : "r"(room) : "memory");
	sum += memphis_begin("Open");
	__asm__ volatile("" : : "r"(room) : "memory");
}

/* A caliper may be ended in another function; meanwhile others are begun and ended, or left. */
static void elsewhere(void)
{
	int i;

	sum += memphis_begin("Loop");
	for (i = 0; i < TIMES; i++) {
		sum += memphis_begin("Step");
		if (!i)
			init();
		sum += memphis_begin("Solve");
		sum += memphis_end("Solve");
		if (i % 10)
			continue;
		sum += memphis_end("Step");
	}
	sum += memphis_end("Open") + memphis_end("Loop");
}

static __attribute__((noinline)) void recurse(int depth)
{
	sum += memphis_begin("Level");
	if (depth)
		recurse(depth - 1);
	sum += memphis_end("Level");
}

static void recursion(void)
{
	sum += memphis_begin("Loop");
	recurse(20);
	sum += memphis_end("Loop");
}

/* Twice: several calipers of one name from one call site, as with interpreters, whose calls use no native stack. */
static void several(void)
{
	int i, j;

	sum += memphis_begin("Loop");
	for (j = 0; j < 2; j++) {
		for (i = 0; i < 3; i++)
			sum += memphis_begin("Same");
		for (i = 0; i < 3; i++)
			sum += memphis_end("Same");
	}
	sum += memphis_end("Loop");
}

/* Two coroutines alternate, inside calipers of one call site. */
static ucontext_t main_context, contexts[2];
static char stacks[2][65536] __attribute__((aligned(16)));

static void turns(int own)
{
	int i;

	for (i = 0; i < 10; i++) {
		sum += memphis_begin("Turn");
		swapcontext(&contexts[own], own ? &main_context : &contexts[1]);
		sum += memphis_end("Turn");
	}
	setcontext(&main_context);
}

static void coroutines(void)
{
	int i;

	for (i = 0; i < 2; i++) {
		getcontext(&contexts[i]);
		contexts[i].uc_stack.ss_sp = stacks[i];
		contexts[i].uc_stack.ss_size = sizeof(stacks[i]);
		makecontext(&contexts[i], (void (*)(void))turns, 1, i);
	}
	sum += memphis_begin("Loop");
	for (i = 0; i < 11; i++)
		swapcontext(&main_context, &contexts[0]);
	swapcontext(&main_context, &contexts[1]);
	sum += memphis_end("Loop");
}

/* More open calipers than a thread can have. */
static void deep(void)
{
	char name[16];
	int i;

	for (i = 0; i < 130; i++) {
		snprintf(name, sizeof(name), "%d", i);
		sum += memphis_begin(name);
	}
	for (; i > 0; i--) {
		snprintf(name, sizeof(name), "%d", i - 1);
		sum += memphis_end(name);
	}
}

static const struct {
	const char *name;
	void (*run)(void);
} ways[] = {
	{"jump", jump},
	{"return", return_early},
	{"continue", continue_early},
	{"elsewhere", elsewhere},
	{"recursion", recursion},
	{"several", several},
	{"coroutines", coroutines},
	{"deep", deep},
};

int main(int argc, char **argv)
{
	char text[512];
	size_t i;

	for (i = 0; argc > 1 && i < sizeof(ways) / sizeof(ways[0]); i++)
		if (!strcmp(ways[i].name, argv[1]))
			ways[i].run();
	memphis_status(text, sizeof(text));
	text[strcspn(text, ":")] = '\0';
	printf("%d %s\n", sum, text);
	return 0;
}
