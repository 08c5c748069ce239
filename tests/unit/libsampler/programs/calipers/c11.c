/* SPDX-License-Identifier: BSD-3-Clause */
/* A C11 thread inside a caliper; its result is the exit status. */
#include <memphis.h>
#include <stdio.h>
#include <threads.h>

static int run(void *word)
{
	puts(word);
	return 7;
}

int main(void)
{
	char word[] = "in its thread";
	thrd_t thread;
	int result = 1;

	memphis_begin("Work");
	if (thrd_create(&thread, run, word) == thrd_success)
		thrd_join(thread, &result);
	memphis_end("Work");
	return result;
}
