// SPDX-License-Identifier: BSD-3-Clause
/* Wrappers of realloc(): with the old block as an argument, and in place. */
#include "corpus.h"

#define SEPARATE __attribute__((noinline))

SEPARATE static void *grow(void *old, size_t bytes)
{
	void *block = realloc(old, bytes); /* site: particles.items, marks.items */

	if (!block)
		abort();
	return block;
}

SEPARATE static void grow_in_place(double **block, size_t bytes)
{
	*block = realloc(*block, bytes);
}

struct list {
	double *items;
	size_t count, room;
};

SEPARATE static void append(struct list *list, double item)
{
	if (list->count == list->room) {
		list->room = 2 * list->room + 4096;
		list->items = grow(list->items,
				   list->room * sizeof(double)); /* site: particles.items, marks.items */
	}
	list->items[list->count++] = item;
}

static struct list particles, marks;

int main(void)
{
	double *first = NULL, *second = NULL, *third = NULL;

	first = grow(first, BYTES);   /* site: first */
	second = grow(second, BYTES); /* site: second */
	grow_in_place(&third, BYTES); /* site: third */
	for (int i = 0; i < COUNT; i++) {
		append(&particles, i);
		append(&marks, i);
	}
	TRUTH(first, BYTES, "first");
	TRUTH(second, BYTES, "second");
	TRUTH(third, BYTES, "third");
	TRUTH(particles.items, BYTES, "particles.items");
	TRUTH(marks.items, BYTES, "marks.items");
	return 0;
}
