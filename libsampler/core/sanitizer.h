/* SPDX-License-Identifier: BSD-3-Clause */
/* Detection of programs built with a sanitizer, whose runtime interposes the same functions as the library. */
#ifndef MEMPHIS_SANITIZER_H
#define MEMPHIS_SANITIZER_H

#include <stdbool.h>

struct memphis_sanitizer {
	const char *problem, *remedy; /* for the message that explains why nothing is sampled */
};

/* Returns the sanitizer that prevents sampling of this program, or NULL if there is none. May be called at any time. */
const struct memphis_sanitizer *memphis_sanitizer(void);

/*
 * Returns true if the sanitizer's runtime comes after the library in the dynamic loader's search order. The
 * runtime may then not be initialised when the library is called. The library therefore forwards all calls,
 * and calls no function that the runtime interposes.
 */
bool memphis_sanitizer_is_behind(void);

/*
 * Prints that nothing is sampled, if the user has requested sampling of the whole program. Called instead of
 * the library's initialisation when a sanitizer prevents sampling.
 */
void memphis_sanitizer_report(void);

#endif
