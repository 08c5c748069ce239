/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens valid and invalid calipers, allocates, and ends as its argument selects. Prints the return values. */
#include <memphis.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int child(void)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		printf("child begin %d\n", memphis_begin("Child"));
		exit(memphis_end("Child") == -ENODEV ? 4 : 5);
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(int argc, char **argv)
{
	const char *ending = argc > 1 ? argv[1] : "return";
	char *block = malloc(100000);
	char *environment[] = {"WORD=set", NULL};
	char status[600];

	printf("begin %d\n", memphis_begin("Outer"));
	printf("begin %d\n", memphis_begin("Inner"));
	memset(block, 1, 100000);
	printf("end %d\n", memphis_end("Inner"));
	printf("name %d\n", memphis_name(block, 100000, "block"));
	printf("flush %d\n", memphis_flush());
	printf("end %d\n", memphis_end("Outer"));
	printf("bad %d %d\n", memphis_begin(NULL), memphis_begin(""));
	printf("configure %d\n", memphis_configure("period", "4096"));
	memphis_status(status, sizeof(status));
	printf("%.13s\n", status);
	free(block);
	if (!strcmp(ending, "fork"))
		printf("child %d\n", child());
	fflush(stdout);
	if (!strcmp(ending, "_exit"))
		_exit(9);
	if (!strcmp(ending, "abort"))
		abort();
	if (!strcmp(ending, "kill"))
		raise(SIGKILL);
	if (!strcmp(ending, "exec") && execlp("/nonexistent", "none", (char *)NULL) == -1 && errno == ENOENT)
		execle("/bin/sh", "sh", "-c", "echo another image: $WORD", (char *)NULL, environment);
	if (!strcmp(ending, "path"))
		execlp("sh", "sh", "-c", "echo an image on the path: $WORD", (char *)NULL);
	return 7;
}
