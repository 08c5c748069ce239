/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs with little memory, or with stacks of their own. usage: memory MODE [MEGABYTES] */
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>

#include "common.h"

#define PAGE 4096

static ucontext_t outer, inner;
static int null_file;

static int use(int megabytes)
{
	char *block = malloc((size_t)megabytes << 20);

	if (!block) {
		puts("no memory");
		return 1;
	}
	memset(block, 1, (size_t)megabytes << 20);
	printf("%d MB\n", megabytes);
	free(block);
	return 0;
}

static void write_one(void)
{
	must(write(null_file, "x", 1) == 1);
}

/* A coroutine whose stack is one page, with a page below it that can't be touched. */
static int coroutine(int none)
{
	char *stack = mmap(NULL, 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int i;

	null_file = open("/dev/null", O_WRONLY);
	must(null_file >= 0 && stack != MAP_FAILED && !mprotect(stack + PAGE, PAGE, PROT_READ | PROT_WRITE));
	for (i = 0; i < 3; i++) {
		must(!getcontext(&inner));
		inner.uc_stack.ss_sp = stack + PAGE;
		inner.uc_stack.ss_size = PAGE;
		inner.uc_link = &outer;
		makecontext(&inner, write_one, 0);
		must(!swapcontext(&outer, &inner));
	}
	puts("three coroutines");
	return none;
}

static void on_fault(int number)
{
	(void)number;
	must(write(1, "fault\n", 6) == 6);
	_exit(8);
}

/* The stack overflows, and the handler has a stack of its own of the least size. */
static __attribute__((noinline)) int recurse(volatile int *depth)
{
	volatile char room[1000];

	if (*depth < 0)
		return 0;
	room[0] = (char)*depth;
	*depth += 1;
	return recurse(depth) + room[0];
}

static int overflow(int depth)
{
	struct sigaction action = {.sa_handler = on_fault, .sa_flags = SA_ONSTACK};
	stack_t stack = {.ss_size = (size_t)sysconf(_SC_MINSIGSTKSZ) + PAGE};

	stack.ss_sp = malloc(stack.ss_size);
	must(!sigaltstack(&stack, NULL) && !sigaction(SIGSEGV, &action, NULL));
	return recurse(&depth);
}

static int locked(int none)
{
	must(!mlockall(MCL_CURRENT | MCL_FUTURE));
	return none + use(20);
}

static int data_limit(int megabytes)
{
	struct rlimit limit = {(rlim_t)megabytes << 20, (rlim_t)megabytes << 20};

	must(!setrlimit(RLIMIT_DATA, &limit));
	return use(megabytes / 2) + use(2 * megabytes);
}

static const struct mode modes[] = {
	{"use", use},       {"coroutine", coroutine},   {"overflow", overflow},
	{"locked", locked}, {"data-limit", data_limit}, {NULL, NULL},
};

int main(int argc, char **argv)
{
	return run_mode(modes, argc, argv);
}
