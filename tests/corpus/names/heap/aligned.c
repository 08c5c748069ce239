// SPDX-License-Identifier: BSD-3-Clause
/* Blocks that are aligned by hand. */
#include "corpus.h"

#include <stdint.h>

static double *field;

int main(void)
{
	char *raw = malloc(BYTES + 64); /* site: raw */
	double *values = (double *)(((uintptr_t)raw + 63) & -(uintptr_t)64);

	field = (double *)(((uintptr_t)malloc(BYTES + 64) + 63) & -(uintptr_t)64); /* site: field */
	TRUTH(values, BYTES, "raw|values");
	TRUTH(field, BYTES, "field");
	return 0;
}
