/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A grandchild is sampled in memory that its grandparent allocated and named, while the grandparent reuses the same addresses.
 * Prints SLOT BLOCK: the address of a word and the block whose address it holds. "raw": a child of a direct clone(2), which skips
 * the fork handlers, is sampled in a block that it allocated before its first caliper. "exec": a child tries in vain to execute
 * another program first.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memphis.h>

#define BYTES 100000

void idle_sample(const void *address);

static char scratch[4096];
static char *held;

static void get(char **to)
{
	*to = malloc(BYTES);
}

static int wait_for(pid_t child)
{
	int status;

	return waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status);
}

static int look(char *const *named)
{
	memphis_begin("Child");
	idle_sample(held);
	idle_sample(named[0]);
	idle_sample(named[1]);
	idle_sample(scratch);
	memphis_end("Child");
	return 0;
}

static int look_at_held(void)
{
	get(&held);
	memphis_begin("Child");
	idle_sample(held);
	memphis_end("Child");
	return 0;
}

int main(int argc, char **argv)
{
	int go[2], done[2], rc;
	char *named[2], byte;
	pid_t child;

	if (argc > 1 && !strcmp(argv[1], "raw")) {
		child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
		return child ? wait_for(child) : look_at_held();
	}
	if (argc > 1 && !strcmp(argv[1], "exec")) {
		child = fork();
		if (!child)
			execl("/nonexistent", "nonexistent", (char *)NULL);
		return child ? wait_for(child) : look_at_held();
	}
	if (pipe(go) || pipe(done))
		return 1;
	memphis_begin("Loop");
	get(&held);
	get(&named[0]);
	memphis_name(named[0], BYTES, "first");
	/* The records so far are in the parent's files only; later ones wait in the memory of both processes. */
	if (memphis_flush())
		return 4;
	memphis_name(scratch, sizeof(scratch), "corner");
	printf("%p %p\n", (void *)&held, held);
	fflush(stdout);
	child = fork();
	if (!child) {
		/* This process opens no caliper. */
		get(&named[1]);
		memphis_name(named[1], BYTES, "second");
		child = fork();
		if (!child)
			return read(go[0], &byte, 1) == 1 ? look(named) : 2;
		_exit(child < 0);
	}
	free(named[0]);
	get(&named[0]);
	memphis_name(named[0], BYTES, "other");
	memphis_name(scratch, sizeof(scratch), "other");
	if (write(go[1], "", 1) != 1)
		return 3;
	rc = wait_for(child);
	close(done[1]);
	/* Wait until the write end is closed everywhere: the grandchild has ended. */
	while (read(done[0], &byte, 1) > 0)
		;
	idle_sample(named[0]);
	memphis_end("Loop");
	return rc;
}
