// SPDX-License-Identifier: BSD-3-Clause
/* A structure with an array at its end, and a block that begins with a header. */
#include "corpus.h"

struct vector {
	size_t count;
	double values[];
};

int main(void)
{
	struct vector *speeds = malloc(sizeof(*speeds) + BYTES);   /* site: speeds */
	struct vector *heights = malloc(sizeof(*heights) + BYTES); /* site: heights */

	TRUTH(speeds->values, BYTES, "speeds");
	TRUTH(heights->values, BYTES, "heights");
	return 0;
}
