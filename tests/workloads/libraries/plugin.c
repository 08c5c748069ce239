// SPDX-License-Identifier: BSD-3-Clause
/* A library with static and heap memory of its own. */
#include "plugin.h"

#include "workload.h"

#include <stdlib.h>

enum { ELEMENTS = 1 << 19 };

static double table[ELEMENTS];
static double *buffer;

double *plugin_open(void)
{
	buffer = malloc(sizeof(table));
	if (!buffer)
		workload_fail("malloc");
	workload_touch(table, sizeof(table));
	workload_touch(buffer, sizeof(table));
	workload_variable("table", table, sizeof(table));
	workload_variable("buffer", buffer, sizeof(table));
	return table;
}

double plugin_sweep(void)
{
	double sum = 0;

	for (int i = 0; i < ELEMENTS; i++) {
		sum += table[i];  /* LINE: table */
		sum += buffer[i]; /* LINE: buffer */
	}
	return sum;
}

void plugin_close(void)
{
	free(buffer);
}
