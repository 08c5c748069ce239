// SPDX-License-Identifier: BSD-3-Clause
/*
 * Measures the instructions of a command, including all work of the kernel in that time, but without idle time. For a machine with
 * one CPU whose clock counts instructions (machine/run --deterministic=instructions).
 * usage: measure COMMAND [ARG...]     prints "instructions N interrupts N", exits with the command's status
 */
#include <sys/wait.h>

#include "busy.h"
#include "delivered.h"

int main(int argc, char **argv)
{
	uint64_t busy, interrupts;
	int status;
	pid_t pid;

	if (argc < 2)
		return 2;
	interrupts = delivered();
	busy = busy_instructions();
	pid = fork();
	if (!pid) {
		execvp(argv[1], argv + 1);
		perror(argv[1]);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid) {
		perror(argv[1]);
		return 97;
	}
	busy = busy_instructions() - busy;
	interrupts = delivered() - interrupts;
	printf("instructions %" PRIu64 " interrupts %" PRIu64 "\n", busy, interrupts);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
