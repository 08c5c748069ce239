// SPDX-License-Identifier: BSD-3-Clause
/*
 * Calipers whose names are in buffers that change, beside constants and registered names. Prints the results of the calls that must fail, and the
 * number of other calls that did.
 */
#include <memphis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char in_data[8] = "one";
static int failed;

/* Opens and closes a caliper with the buffer, with another pointer to the same text, and with the registered name. */
static void call_thrice(char *buffer, const char *name)
{
	const struct memphis_region_name *region = memphis_region(name);

	strcpy(buffer, name);
	failed += memphis_begin(buffer) != 0;
	failed += memphis_end(name) != 0;
	failed += memphis_begin(name) != 0;
	failed += memphis_end_region(region) != 0;
	failed += memphis_begin_region(region) != 0;
	failed += memphis_end(buffer) != 0;
}

static void change(char *buffer)
{
	int i;

	for (i = 0; i < 10; i++) {
		call_thrice(buffer, "one");
		call_thrice(buffer, "two");
	}
	/* The buffer changes while the caliper is open. */
	for (i = 0; i < 2; i++) {
		strcpy(buffer, "one");
		failed += memphis_begin(buffer) != 0;
		strcpy(buffer, "two");
		printf("%d %d ", memphis_end(buffer), memphis_end_region(memphis_region(buffer)));
		strcpy(buffer, "one");
		failed += memphis_end(buffer) != 0;
	}
}

int main(void)
{
	char on_stack[8], *on_heap = malloc(8);
	int i;

	memphis_begin("Outer");
	change(in_data);
	change(on_stack);
	change(on_heap);
	for (i = 0; i < 2; i++)
		printf("%d %d %d %d ", memphis_begin(NULL), memphis_end(NULL), memphis_begin_region(NULL),
		       memphis_end_region(NULL));
	memphis_end("Outer");
	printf("failed %d\n", failed);
	free(on_heap);
	return 0;
}
