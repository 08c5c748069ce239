// SPDX-License-Identifier: BSD-3-Clause
/* Blocks that functions of the C library allocate: strdup(), asprintf(), reallocarray(). */
/* corpus: varies copy printed */
#define _GNU_SOURCE
#include "corpus.h"

#include <stdio.h>
#include <string.h>

int main(void)
{
	char *text = malloc(BYTES), *copy, *printed; /* site: text */
	double *array;

	memset(text, 'x', BYTES - 1);
	text[BYTES - 1] = 0;
	copy = strdup(text);                    /* site: copy */
	if (asprintf(&printed, "%s", text) < 0) /* site: printed */
		return 1;
	array = reallocarray(NULL, COUNT, sizeof(double)); /* site: array */
	TRUTH(text, BYTES, "text");
	TRUTH(copy, BYTES, "copy");
	TRUTH(printed, BYTES, "printed");
	TRUTH(array, BYTES, "array");
	return 0;
}
