// SPDX-License-Identifier: BSD-3-Clause
/* Blocks that functions of the C library allocate: strdup(), asprintf(), getline(), reallocarray(). */
#define _GNU_SOURCE
#include "corpus.h"

#include <stdio.h>
#include <string.h>

int main(void)
{
	char *text = malloc(BYTES), *copy, *printed, *row = NULL; /* site: text */
	size_t room = 0;
	double *array;
	FILE *in;

	memset(text, 'x', BYTES - 1);
	text[BYTES - 1] = 0;
	copy = strdup(text);                    /* site: copy */
	if (asprintf(&printed, "%s", text) < 0) /* site: printed */
		return 1;
	array = reallocarray(NULL, COUNT, sizeof(double)); /* site: array */
	in = fmemopen(text, BYTES, "r");
	while (getline(&row, &room, in) > 0) /* site: row */
		;
	TRUTH(text, BYTES, "text");
	TRUTH(copy, BYTES, "copy");
	TRUTH(printed, BYTES, "printed");
	TRUTH(array, BYTES, "array");
	TRUTH(row, BYTES, "row");
	return 0;
}
