// SPDX-License-Identifier: BSD-3-Clause
/* Ranges of indices. If this fails, reports name elements that were not accessed. */
#include "dwarf/type/shape.h"

#include "../../tap.h"

static const struct memphis_shape vector = {.rank = 1, .lower = {1}},
				  from_zero = {.rank = 1, .extent = {100}, .lower = {0}},
				  matrix = {.rank = 2, .extent = {10, 20}, .lower = {1, -3}},
				  last_unknown = {.rank = 3, .extent = {4, 5, 0}, .lower = {1, 1, 1}},
				  unknown = {.rank = 3, .lower = {1, 1, 1}}, none = {.rank = 0};

static void is_part(const struct memphis_shape *shape, bool fortran, uint64_t first, uint64_t last,
		    uint64_t elements, const char *want)
{
	struct memphis_text text = {0};
	bool put = memphis_shape_put_part(shape, fortran, first, last, elements, &text);

	is_text(put ? text.text : "(none)", want, want);
	memphis_text_close(&text);
}

int main(void)
{
	is_part(&vector, true, 500, 556, 1000, "(501..557)");
	is_part(&vector, true, 7, 7, 1000, "(8)");
	is_part(&vector, true, 0, 999, 1000, "(none)");
	is_part(&from_zero, false, 30, 59, 100, "[30..59]");
	/* The last dimension of Fortran is the slowest, the first one of C. */
	is_part(&matrix, true, 25, 39, 200, "(:,-1..0)");
	is_part(&matrix, false, 25, 39, 200, "[2]");
	is_part(&matrix, true, 0, 199, 200, "(none)");
	is_part(&last_unknown, true, 40, 79, 400, "(:,:,3..4)");
	is_part(&last_unknown, false, 40, 79, 400, "(none)");
	/* Of what is not known, a percentage: never less than the range. */
	is_part(&unknown, true, 400, 798, 1000, "(:,:,40%..80%)");
	is_part(&unknown, true, 0, 998, 1000, "(none)");
	is_part(&none, true, 0, 1, 1000, "(none)");
	is_part(&vector, true, 10, 2000, 1000, "(none)");
	is_part(&vector, true, 10, 9, 1000, "(none)");
	return finish();
}
