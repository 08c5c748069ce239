// SPDX-License-Identifier: BSD-3-Clause
/* The allocating macro has two definitions, of which the call stack tells the right one; results go to lvalues of all kinds. */
#include "corpus.h"

#include "names/wrappers/alternatives.h"

__attribute__((noinline)) void *checked_make(size_t count, size_t bytes)
{
	void *block = calloc(count, bytes);

	if (!block)
		abort();
	return block;
}

static double *edges[2];

static __attribute__((noinline)) void make_weights(double **weights, size_t count)
{
	*weights = MAKE(double, count);
	corpus_use(*weights);
}

static __attribute__((noinline)) void make_mesh(struct mesh *mesh, size_t count)
{
	MESH_MASS(mesh) = MAKE(double, count); /* site: mesh->mass */
	mesh->force = MAKE(double, count);     /* site: mesh->force */
	corpus_use(mesh);
}

int main(void)
{
	struct mesh mesh;
	double *weights;

	make_weights(&weights, COUNT); /* site: weights */
	make_mesh(&mesh, COUNT);
	edges[1] = MAKE(double, COUNT); /* site: edges */
	corpus_use(edges[1]);
	TRUTH(weights, BYTES, "weights");
	TRUTH(mesh.mass, BYTES, "mesh->mass|mesh.mass");
	TRUTH(mesh.force, BYTES, "mesh->force|mesh.force");
	TRUTH(edges[1], BYTES, "edges[]|edges[1]|edges");
	return 0;
}
