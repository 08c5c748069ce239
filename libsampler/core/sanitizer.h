/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that are built with a sanitizer, whose runtime interposes the same functions as the library. */
#ifndef MEMPHIS_SANITIZER_H
#define MEMPHIS_SANITIZER_H

#include <stdbool.h>

struct memphis_sanitizer {
	const char *problem, *remedy; /* for the line that explains why nothing is sampled */
};

/* Returns the sanitizer that prevents sampling of this program; NULL: none. Callable at any time. */
const struct memphis_sanitizer *memphis_sanitizer(void);

/*
 * Whether the sanitizer's runtime comes after the library in the loader's order, so that it may not be ready when the
 * library is called. The library then forwards all calls, and calls no function that the runtime interposes.
 */
bool memphis_sanitizer_is_behind(void);

/* Report that nothing is sampled, if the whole program should be. Replaces the library's initialisation in that case. */
void memphis_sanitizer_report(void);

#endif
