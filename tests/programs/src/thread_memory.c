/* SPDX-License-Identifier: BSD-3-Clause */
/* A program with 300 MB of thread-local variables, as a Fortran program with large threadprivate arrays has. usage: thread_memory */
#include "common.h"

static __thread char large[300 << 20];

int main(void)
{
	char line[300];
	long kilobytes = 0;
	FILE *file = fopen("/proc/self/status", "r");
	pid_t child;

	must(file);
	large[5] = 1;
	while (fgets(line, sizeof(line), file))
		if (!strncmp(line, "VmSize:", 7))
			kilobytes = atol(line + 7);
	fclose(file);
	printf("the variables are %s of the address space\n", kilobytes < 400 << 10 ? "most" : "not most");
	child = fork();
	must(child >= 0);
	if (child == 0)
		_exit(3);
	report_child("child", child);
	return 0;
}
