// SPDX-License-Identifier: BSD-3-Clause
/* A static table of pointers that is filled in a loop, a table of structures, and a table with constant indices. */
#include "corpus.h"

enum { LEVELS = 4 };

static double *levels[LEVELS];
static struct {
	double *field, *mask;
} blocks[LEVELS];
static double *named[2];

int main(void)
{
	for (int i = 0; i < LEVELS; i++) {
		levels[i] = malloc(BYTES);       /* site: levels[] */
		blocks[i].field = malloc(BYTES); /* site: blocks[].field */
		blocks[i].mask = malloc(BYTES);  /* site: blocks[].mask */
	}
	named[0] = malloc(BYTES); /* site: named[] */
	named[1] = malloc(BYTES); /* site: named[] */
	for (int i = 0; i < LEVELS; i++) {
		TRUTH(levels[i], BYTES, "levels[]|levels[*]");
		TRUTH(blocks[i].field, BYTES, "blocks[].field|blocks[*].field");
		TRUTH(blocks[i].mask, BYTES, "blocks[].mask|blocks[*].mask");
	}
	TRUTH(named[0], BYTES, "named[]|named[*]");
	TRUTH(named[1], BYTES, "named[]|named[*]");
	return 0;
}
