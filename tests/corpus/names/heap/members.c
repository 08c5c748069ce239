// SPDX-License-Identifier: BSD-3-Clause
/* Members of local, static and allocated structures, also of nested ones. */
#include "corpus.h"

struct mesh {
	double *x, *y;
};

struct model {
	struct mesh coarse, *fine;
	double *heat;
};

static struct mesh sphere;
static struct model *world;

int main(void)
{
	struct mesh plane;
	struct model *local = calloc(1, sizeof(*local));

	plane.x = malloc(BYTES);  /* site: plane.x */
	plane.y = malloc(BYTES);  /* site: plane.y */
	sphere.x = malloc(BYTES); /* site: sphere.x */
	sphere.y = malloc(BYTES); /* site: sphere.y */
	world = calloc(1, sizeof(*world));
	world->fine = calloc(1, sizeof(*world->fine));
	world->heat = malloc(BYTES);     /* site: world->heat */
	world->coarse.x = malloc(BYTES); /* site: world->coarse.x */
	world->fine->y = malloc(BYTES);  /* site: world->fine->y */
	local->heat = malloc(BYTES);     /* site: local->heat */
	TRUTH(plane.x, BYTES, "plane.x");
	TRUTH(plane.y, BYTES, "plane.y");
	TRUTH(sphere.x, BYTES, "sphere.x");
	TRUTH(sphere.y, BYTES, "sphere.y");
	TRUTH(world->heat, BYTES, "world->heat|world.heat");
	TRUTH(world->coarse.x, BYTES, "world->coarse.x|world.coarse.x");
	TRUTH(world->fine->y, BYTES, "world->fine->y|world.fine.y");
	TRUTH(local->heat, BYTES, "local->heat|local.heat");
	return 0;
}
