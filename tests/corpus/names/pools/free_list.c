// SPDX-License-Identifier: BSD-3-Clause
/* A pool of the program's own with lists of free parts, in blocks that it allocates when it needs them. */
#include "corpus.h"

struct part {
	struct part *next;
};

struct pool {
	struct part *free;
	char *chunks[8];
	int count;
};

static struct pool pool;

__attribute__((noinline)) static void *get(struct pool *self)
{
	struct part *part;

	if (!self->free) {
		char *chunk = malloc(8 * (BYTES / 4)); /* site: pool.chunks[] */

		self->chunks[self->count++] = chunk;
		for (int i = 7; i >= 0; i--) {
			part = (struct part *)(chunk + i * (BYTES / 4));
			part->next = self->free;
			self->free = part;
		}
	}
	part = self->free;
	self->free = part->next;
	return part;
}

int main(void)
{
	for (int i = 0; i < 16; i++)
		TRUTH(get(&pool), BYTES / 4, "pool.chunks[]|chunk|pool.chunks[*]");
	return 0;
}
