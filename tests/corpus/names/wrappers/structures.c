// SPDX-License-Identifier: BSD-3-Clause
/* Wrappers that return structures: larger than registers, nested, and assigned to members. */
#include "corpus.h"

#define SEPARATE __attribute__((noinline))

struct array {
	double *data;
	size_t count, room, stride;
};

struct pair {
	struct array left, right;
};

SEPARATE static struct array make(size_t count)
{
	struct array made = {.count = count, .room = count, .stride = 1};

	made.data = malloc(count *
			   sizeof(double)); /* site: local.data, kept.data, both.left.data, both.right.data */
	return made;
}

SEPARATE static struct pair make_both(size_t count)
{
	struct pair both;

	both.left = make(count);  /* site: both.left.data */
	both.right = make(count); /* site: both.right.data */
	return both;
}

static struct array kept;

int main(void)
{
	struct array local = make(COUNT);      /* site: local.data */
	struct pair result = make_both(COUNT); /* site: both.left.data, both.right.data */

	kept = make(COUNT); /* site: kept.data */
	TRUTH(local.data, BYTES, "local.data|local");
	TRUTH(kept.data, BYTES, "kept.data|kept");
	TRUTH(result.left.data, BYTES, "both.left.data|both.left|result.left.data|result.left");
	TRUTH(result.right.data, BYTES, "both.right.data|both.right|result.right.data|result.right");
	return 0;
}
