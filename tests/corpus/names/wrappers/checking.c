// SPDX-License-Identifier: BSD-3-Clause
/* Wrappers that check: by a condition, by a function, by posix_memalign() and by a conditional expression. */
#include "corpus.h"

#include <stdio.h>
#include <string.h>

#define SEPARATE __attribute__((noinline))

SEPARATE static void *checked(void *block)
{
	if (!block)
		abort();
	return block;
}

SEPARATE static void *by_condition(size_t bytes)
{
	void *block = malloc(bytes);

	if (!block) {
		perror("malloc");
		exit(1);
	}
	return block;
}

SEPARATE static void *by_function(size_t bytes)
{
	return checked(malloc(bytes));
}

SEPARATE static void *by_status(size_t bytes)
{
	void *block;

	if (posix_memalign(&block, 64, bytes))
		block = NULL;
	return block;
}

SEPARATE static void *by_expression(size_t bytes)
{
	return bytes ? calloc(1, bytes) : NULL;
}

SEPARATE static double *cleared(size_t count)
{
	double *result = (double *)malloc(count * sizeof(double));

	memset(result, 0, count * sizeof(double));
	return result;
}

int main(void)
{
	double *one = by_condition(BYTES);    /* site: one */
	double *two = by_condition(BYTES);    /* site: two */
	double *three = by_function(BYTES);   /* site: three */
	double *four = by_function(BYTES);    /* site: four */
	double *five = by_status(BYTES);      /* site: five */
	double *six = by_status(BYTES);       /* site: six */
	double *seven = by_expression(BYTES); /* site: seven */
	double *eight = by_expression(BYTES); /* site: eight */
	double *nine = cleared(COUNT);        /* site: nine */
	double *ten = cleared(COUNT);         /* site: ten */

	TRUTH(one, BYTES, "one");
	TRUTH(two, BYTES, "two");
	TRUTH(three, BYTES, "three");
	TRUTH(four, BYTES, "four");
	TRUTH(five, BYTES, "five");
	TRUTH(six, BYTES, "six");
	TRUTH(seven, BYTES, "seven");
	TRUTH(eight, BYTES, "eight");
	TRUTH(nine, BYTES, "nine");
	TRUTH(ten, BYTES, "ten");
	return 0;
}
