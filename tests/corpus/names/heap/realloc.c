// SPDX-License-Identifier: BSD-3-Clause
/* A block that grows in a loop, and one that is moved to another variable. */
/*
 * The second one is small at first. Small blocks are recorded at random, here all of them: the name must be the same as without the record.
 */
/* corpus: record --small-bytes 1 */
#include "corpus.h"

struct list {
	double *items;
	size_t room;
};

static struct list particles;

int main(void)
{
	double *small = malloc(64), *large;

	while (particles.room < BYTES) {
		particles.room = 2 * particles.room + 4096;
		particles.items = realloc(particles.items, particles.room); /* site: particles.items */
	}
	large = realloc(small, BYTES); /* site: large */
	TRUTH(particles.items, BYTES, "particles.items");
	TRUTH(large, BYTES, "large");
	return 0;
}
