/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The only thread ends for itself, by the system call: its status is the process's. "pthread_exit": the C library then ends the
 * process in the end, with 0.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void idle_exited(pid_t tid);

int main(int argc, char **argv)
{
	printf("begins\n");
	fflush(stdout);
	idle_exited(getpid()); /* what the device says a moment later */
	if (argc > 1 && !strcmp(argv[1], "pthread_exit"))
		pthread_exit(NULL);
	syscall(SYS_exit, 4);
	return 1;
}
