// SPDX-License-Identifier: BSD-3-Clause
/* A library that makes the loader wait, and allocates, before it relocates what needs this library. */
#include <stdlib.h>
#include <unistd.h>

static void *block;

int slow_relocation(void);

static int get_slow(void)
{
	return block != NULL;
}

static int (*choose(void))(void)
{
	int i;

	for (i = 0; i < 20; i++) {
		usleep(20000);
		free(block);
		block = malloc(100000);
	}
	return get_slow;
}

int slow_relocation(void) __attribute__((ifunc("choose")));
