/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that are built with a sanitizer, whose runtime stands in front of the same functions as the library. */
#ifndef MEMPHIS_SANITIZER_H
#define MEMPHIS_SANITIZER_H

#include <stdbool.h>

struct memphis_sanitizer {
	const char *problem, *remedy; /* for the line that says why nothing is sampled */
};

/* The one that this program can't be sampled with; NULL: none. Callable at any time. */
const struct memphis_sanitizer *memphis_sanitizer(void);

/*
 * Its runtime comes behind the library, and may not be ready when the library is called: that passes everything on, and
 * calls nothing that the runtime stands in front of.
 */
bool memphis_sanitizer_is_behind(void);

/* Says so, in the place of all else that the library would do; where the whole program is to be sampled. */
void memphis_sanitizer_tell(void);

#endif
