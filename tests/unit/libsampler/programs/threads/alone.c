/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The only thread ends by the system call exit(2): its status becomes the status of the process. "pthread_exit": the thread ends
 * by pthread_exit(), and the C library then ends the process with 0.
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
	idle_exited(getpid()); /* a real device reports this a moment later */
	if (argc > 1 && !strcmp(argv[1], "pthread_exit"))
		pthread_exit(NULL);
	syscall(SYS_exit, 4);
	return 1;
}
