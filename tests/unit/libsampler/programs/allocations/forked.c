/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A process whose child's child is sampled in memory that the first one had allocated and named, while that one goes on to
 * use the same places for others. Says which word holds a block: SLOT BLOCK. "raw": a child that clone(2) itself makes, past the
 * handlers of fork(), is sampled in a block that it had allocated before its first caliper.
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
	if (pipe(go) || pipe(done))
		return 1;
	memphis_begin("Loop");
	get(&held);
	get(&named[0]);
	memphis_name(named[0], BYTES, "first");
	/* Only the parent's files have these; what follows waits in the memory of both. */
	if (memphis_flush())
		return 4;
	memphis_name(scratch, sizeof(scratch), "corner");
	printf("%p %p\n", (void *)&held, held);
	fflush(stdout);
	child = fork();
	if (!child) {
		/* No caliper of its own. */
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
	/* Until nobody has the other end: the child's child has ended. */
	while (read(done[0], &byte, 1) > 0)
		;
	idle_sample(named[0]);
	memphis_end("Loop");
	return rc;
}
