// SPDX-License-Identifier: BSD-3-Clause
/* Members of the elements of an allocated array of structures, and pointers behind two structures. */
#include "corpus.h"

enum { ZONES = 4 };

struct zone {
	double *flow, *grid;
	struct zone *next;
};

struct domain {
	struct zone *zones, *first;
	double **planes;
};

static struct domain *domain;

int main(void)
{
	struct zone *local = calloc(ZONES, sizeof(*local));

	domain = calloc(1, sizeof(*domain));
	domain->zones = calloc(ZONES, sizeof(*domain->zones));
	domain->planes = calloc(ZONES, sizeof(*domain->planes));
	domain->first = calloc(1, sizeof(*domain->first));
	for (int i = 0; i < ZONES; i++) {
		local[i].flow = malloc(BYTES);         /* site: local[].flow */
		domain->zones[i].flow = malloc(BYTES); /* site: domain->zones[].flow */
		domain->zones[i].grid = malloc(BYTES); /* site: domain->zones[].grid */
		domain->planes[i] = malloc(BYTES);     /* site: domain->planes[] */
	}
	domain->first->flow = malloc(BYTES); /* site: domain->first->flow */
	for (int i = 0; i < ZONES; i++) {
		TRUTH(local[i].flow, BYTES, "local[].flow|local[i].flow");
		TRUTH(domain->zones[i].flow, BYTES, "domain->zones[].flow|domain.zones[].flow");
		TRUTH(domain->zones[i].grid, BYTES, "domain->zones[].grid|domain.zones[].grid");
		TRUTH(domain->planes[i], BYTES, "domain->planes[]|domain.planes[]");
	}
	TRUTH(domain->first->flow, BYTES, "domain->first->flow|domain.first.flow");
	return 0;
}
