// SPDX-License-Identifier: BSD-3-Clause
/* Copies between two nodes, for a whole process. usage: copies ROUNDS */
#define _GNU_SOURCE
#include <stdlib.h>

#include "traffic.h"

int main(int count, char **arguments)
{
	uint64_t *a = buffer_on(0, ARRAY_BYTES), *b = buffer_on(2, ARRAY_BYTES);

	run_on(0);
	copy_rounds(b, a, count > 1 ? strtoul(arguments[1], NULL, 10) : 1);
	return 0;
}
