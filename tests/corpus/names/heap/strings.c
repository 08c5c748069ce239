// SPDX-License-Identifier: BSD-3-Clause
/* Blocks that functions of the C library allocate: strdup(), getline(), asprintf(), open_memstream(), reallocarray(). */
#define _GNU_SOURCE
#include "corpus.h"

#include <stdio.h>
#include <string.h>

int main(void)
{
	char *text = malloc(BYTES), *copy, *printed, *streamed = NULL; /* site: text */
	double *array;
	size_t size;
	FILE *stream;

	memset(text, 'x', BYTES - 1);
	text[BYTES - 1] = 0;
	copy = strdup(text);                    /* site: copy */
	if (asprintf(&printed, "%s", text) < 0) /* site: printed */
		return 1;
	stream = open_memstream(&streamed, &size);
	fputs(text, stream);
	fclose(stream);
	array = reallocarray(NULL, COUNT, sizeof(double)); /* site: array */
	TRUTH(text, BYTES, "text");
	TRUTH(copy, BYTES, "copy");
	TRUTH(printed, BYTES, "printed");
	TRUTH(array, BYTES, "array");
	return 0;
}
