// SPDX-License-Identifier: BSD-3-Clause
/* Work and output shared by the programs of threads.bats. */
#define _GNU_SOURCE
#include "work.h"

#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BYTES (1u << 20)
#define TIMES 60

static char arrays[WORKERS][BYTES];
static volatile int tids[WORKERS];

void work_name(const char *kind, int worker)
{
	char name[16];
	int i;

	for (i = 0; i < 12 && kind[i]; i++)
		name[i] = kind[i];
	name[i++] = '-';
	name[i++] = (char)('0' + worker);
	name[i] = '\0';
	syscall(SYS_prctl, PR_SET_NAME, name, 0, 0, 0);
}

void work_note(int worker)
{
	tids[worker] = (int)syscall(SYS_gettid);
}

void work_share(int worker)
{
	int times, i;

	for (times = 0; times < TIMES; times++)
		for (i = 0; i < (int)BYTES; i += 64)
			((volatile char *)arrays[worker])[i]++;
}

int work_tid(int worker)
{
	return tids[worker];
}

void work_print(const char *kind, int workers)
{
	int i;

	printf("main %d -\n", (int)syscall(SYS_gettid));
	for (i = 0; i < workers; i++)
		printf("%s %d %d %p\n", kind, tids[i], i, (void *)arrays[i]);
}
