/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes and allocates for the first time in a coroutine whose stack is one page, below which no memory is mapped. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define PAGE 4096

static ucontext_t outside, inside;
static int file;
static ssize_t written;
static void *block;

static void run(void)
{
	written = write(file, "x", 1);
	block = malloc(20000);
}

int main(void)
{
	char *stack = mmap(NULL, 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	file = open("/dev/null", O_WRONLY);
	if (file < 0 || stack == MAP_FAILED || mprotect(stack + PAGE, PAGE, PROT_READ | PROT_WRITE) ||
	    getcontext(&inside))
		return 1;
	inside.uc_stack.ss_sp = stack + PAGE;
	inside.uc_stack.ss_size = PAGE;
	inside.uc_link = &outside;
	makecontext(&inside, run, 0);
	if (swapcontext(&outside, &inside))
		return 1;
	printf("written %zd %s\n", written, block ? "allocated" : "no memory");
	return 0;
}
