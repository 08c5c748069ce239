/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the subjects of the table ../rows share. A subject is called as NAME MODE [ARGUMENT]; the modes are functions in a table.
 */
#ifndef MEMPHIS_TESTS_PROGRAMS_COMMON_H
#define MEMPHIS_TESTS_PROGRAMS_COMMON_H

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* Unless the condition holds, prints it with its line and ends the program with status 99. */
#define must(condition)                                                                                      \
	do {                                                                                                 \
		if (!(condition)) {                                                                          \
			fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #condition, strerror(errno)); \
			fflush(NULL);                                                                        \
			_exit(99);                                                                           \
		}                                                                                            \
	} while (0)

struct mode {
	const char *name;
	int (*run)(int argument);
};

/* Runs the mode of argv[1] with the number argv[2]. */
static inline int run_mode(const struct mode *modes, int argc, char **argv)
{
	for (; argc > 1 && modes->name; modes++)
		if (!strcmp(modes->name, argv[1]))
			return modes->run(argc > 2 ? atoi(argv[2]) : 0);
	fprintf(stderr, "usage: %s MODE [NUMBER]\n", argv[0]);
	return 2;
}

/* Prints how a child ended, and waits for it. */
static inline void report_child(const char *name, pid_t child)
{
	int status = 0;

	must(waitpid(child, &status, 0) == child);
	if (WIFSIGNALED(status))
		printf("%s: signal %d\n", name, WTERMSIG(status));
	else
		printf("%s: status %d\n", name, WEXITSTATUS(status));
}

#endif
