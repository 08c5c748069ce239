// SPDX-License-Identifier: BSD-3-Clause
/*
 * Measures the instructions of a command, including all work of the kernel in that time, but without idle time. For a machine with
 * one CPU whose clock counts instructions (machine/run --deterministic=instructions).
 * usage: measure COMMAND [ARG...]     prints "instructions N interrupts N", exits with the command's status
 */
#include <sys/wait.h>

#include "delivered.h"

#define NS_PER_INSTRUCTION 2

/* Returns the time in which the CPU ran tasks: the seventh number of its line (Linux, Documentation/scheduler/sched-stats). */
static uint64_t busy_ns(void)
{
	FILE *file = fopen("/proc/schedstat", "r");
	unsigned long long ns = 0;
	char line[4096];
	int found = 0;

	while (file && !found && fgets(line, sizeof(line), file))
		found = sscanf(line, "cpu0 %*s %*s %*s %*s %*s %*s %llu", &ns);
	if (!found) {
		perror("/proc/schedstat");
		exit(97);
	}
	fclose(file);
	return ns;
}

int main(int argc, char **argv)
{
	uint64_t busy, interrupts;
	int status;
	pid_t pid;

	if (argc < 2)
		return 2;
	interrupts = delivered();
	busy = busy_ns();
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
	busy = busy_ns() - busy;
	interrupts = delivered() - interrupts;
	printf("instructions %llu interrupts %llu\n", (unsigned long long)busy / NS_PER_INSTRUCTION,
	       (unsigned long long)interrupts);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
