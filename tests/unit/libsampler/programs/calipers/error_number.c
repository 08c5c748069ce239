// SPDX-License-Identifier: BSD-3-Clause
/*
 * Calls calipers, from the third round on without the library's descriptors, which it closes. Prints each call that changes errno, and the
 * number of rounds whose outermost caliper was opened.
 */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include <memphis.h>

#define ROUNDS 5
#define OTHER  77

static void check(const char *what)
{
	if (errno != OTHER)
		printf("%s changes errno to %d\n", what, errno);
	errno = OTHER;
}

int main(void)
{
	int i, opened = 0;

	errno = OTHER;
	for (i = 0; i < ROUNDS; i++) {
		opened += !memphis_begin("Outer");
		check("the begin of the outermost caliper");
		memphis_begin("Inner");
		check("the begin of a caliper inside");
		memphis_end("Inner");
		check("the end of a caliper inside");
		if (i == 1)
			closefrom(3);
		errno = OTHER;
		memphis_end("Outer");
		check("the end of the outermost caliper");
	}
	printf("%d of %d\n", opened, ROUNDS);
	return 0;
}
