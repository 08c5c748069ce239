// SPDX-License-Identifier: BSD-3-Clause
/* Wrappers that give the block by a parameter, with and without a variable of their own, and by a structure. */
#include "corpus.h"

#include <errno.h>

#define SEPARATE __attribute__((noinline))

struct array {
	double *data;
	size_t count;
};

SEPARATE static void by_parameter(void **out, size_t bytes)
{
	void *block = malloc(bytes);

	*out = block;
}

SEPARATE static int by_status(size_t bytes, double **out)
{
	if ((*out = calloc(1, bytes)) == NULL)
		return ENOMEM;
	return 0;
}

SEPARATE static struct array by_structure(size_t count)
{
	struct array made;

	made.data = malloc(count * sizeof(double));
	made.count = count;
	return made;
}

int main(void)
{
	void *left, *right;
	double *upper, *lower;
	struct array near, far;

	by_parameter(&left, BYTES);   /* site: left */
	by_parameter(&right, BYTES);  /* site: right */
	if (by_status(BYTES, &upper)) /* site: upper */
		return 1;
	if (by_status(BYTES, &lower)) /* site: lower */
		return 1;
	near = by_structure(COUNT); /* site: near.data */
	far = by_structure(COUNT);  /* site: far.data */
	TRUTH(left, BYTES, "left");
	TRUTH(right, BYTES, "right");
	TRUTH(upper, BYTES, "upper");
	TRUTH(lower, BYTES, "lower");
	TRUTH(near.data, BYTES, "near.data|near");
	TRUTH(far.data, BYTES, "far.data|far");
	return 0;
}
