// SPDX-License-Identifier: BSD-3-Clause
/* Blocks that a parameter, a local structure, a static table of pointers and a returned pointer hold. */
#include "native.h"

#include <stdlib.h>

enum { COUNT = 1 << 14, BYTES = COUNT * sizeof(double) };

struct mesh {
	double *x, *y;
};

static double *levels[3];

static double *make(void)
{
	return calloc(COUNT, sizeof(double));
}

__attribute__((noinline)) static double sum_of(const struct mesh *mesh, const double *weights, int count)
{
	double sum = 0;

	for (int i = 0; i < count; i++) {
		sum += mesh->x[i];   /* expect: heap:mesh.x */
		sum += mesh->y[i];   /* expect: heap:mesh.y */
		sum += levels[2][i]; /* expect: heap:levels[] */
		sum += weights[i];   /* expect: heap:weights */
	}
	return sum;
}

int main(void)
{
	struct mesh mesh;
	double *weights = make();

	mesh.x = make();
	mesh.y = make();
	levels[2] = make();
	native_watch(mesh.x, BYTES, "heap:mesh.x");
	native_watch(mesh.y, BYTES, "heap:mesh.y");
	native_watch(levels[2], BYTES, "heap:levels[]");
	native_watch(weights, BYTES, "heap:weights");
	return sum_of(&mesh, weights, COUNT) != 0;
}
