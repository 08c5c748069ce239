/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions shared by the helper programs. counters/helper.h describes the protocol. */
#ifndef MEMPHIS_HELPER_H
#define MEMPHIS_HELPER_H

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define HELPER_NAMES_MAX 512

/* Prints text. Replaces newlines and tabs by blanks, because the protocol uses them as separators. */
static inline void helper_print(const char *text)
{
	for (; *text; text++)
		putchar(*text == '\n' || *text == '\t' ? ' ' : *text);
}

/* Prints a unit without its blanks, because blanks separate fields. Prints "-" if the unit is empty. */
static inline void helper_print_unit(const char *unit)
{
	size_t printed = 0;

	for (; *unit; unit++)
		printed += *unit > ' ' && putchar(*unit) != EOF;
	if (!printed)
		putchar('-');
}

static inline void helper_value(const char *scope, const char *kind, int node, const char *unit, double value,
				const char *name)
{
	printf("V %s %s ", scope, kind);
	if (node >= 0)
		printf("%d ", node);
	else
		printf("- ");
	helper_print_unit(unit);
	printf(" %.17g ", value);
	helper_print(name);
	putchar('\n');
}

static inline void helper_refuse(const char *name, const char *why)
{
	printf("R ");
	helper_print(name);
	putchar('\t');
	helper_print(why);
	putchar('\n');
}

static inline void helper_lost(const char *what, const char *why)
{
	printf("L ");
	helper_print(what);
	printf(": ");
	helper_print(why);
	putchar('\n');
}

/* Exits when the program has closed its end of the socket, even if the main thread is waiting for something else. */
static void *helper_watch(void *unused)
{
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLRDHUP};

	while (poll(&input, 1, -1) < 0 && errno == EINTR)
		;
	_exit(0);
	return unused;
}

/* Starts the thread that watches the socket, so that the helper never outlives the program. Returns 1, or 0 on failure. */
static inline int helper_begin(void)
{
	pthread_t thread;

	return !pthread_create(&thread, NULL, helper_watch, NULL);
}

/* Waits for a request. Returns 1, or 0 if no more requests will come. */
static inline int helper_next(void)
{
	char byte;

	return read(STDIN_FILENO, &byte, 1) == 1;
}

static inline void helper_done(void)
{
	puts(".");
	fflush(stdout);
}

#endif
