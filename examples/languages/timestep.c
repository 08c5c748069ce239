/* SPDX-License-Identifier: BSD-3-Clause */
/* C: calipers around the time-step loop and a part of it, and a name for an array. usage: timestep [ELEMENTS [STEPS]] */
#include <memphis.h>

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	size_t n = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000000, i;
	int steps = argc > 2 ? atoi(argv[2]) : 5, step;
	double *field = malloc(n * sizeof(*field)), sum = 0;

	if (!field)
		return 1;
	memphis_name(field, n * sizeof(*field), "temperature");
	for (i = 0; i < n; i++)
		field[i] = 1;
	memphis_begin("TimeLoop");
	for (step = 0; step < steps; step++) {
		memphis_begin("advect");
		for (i = 1; i < n; i++)
			sum += field[i] - field[i - 1];
		memphis_end("advect");
	}
	memphis_end("TimeLoop");
	printf("sum %g\n", sum + field[0]);
	free(field);
	return 0;
}
