/* SPDX-License-Identifier: BSD-3-Clause */
/* What is asked for by MEMPHIS_CONTEXT, as text. */
#ifndef MEMPHIS_COUNTER_LIST_H
#define MEMPHIS_COUNTER_LIST_H

#include <stddef.h>

#define MEMPHIS_COUNTER_LIST_MAX 4096

/*
 * Sources are separated by commas or blanks. Behind "pcp:" and "papi:" stand names, separated by commas, up to the next
 * blank; what stands in brackets belongs to the name.
 */
struct memphis_counters_item {
	const char *source;
	size_t source_length;
	const char *names; /* behind the colon; NULL: there is none */
	size_t names_length;
};

/* The next item from *text on: 1, 0 at the end, or -EINVAL. */
int memphis_counters_next(const char **text, struct memphis_counters_item *item);

/* All names asked for of that source, separated by commas, as a string: 1; or 0: the source is not asked for. */
int memphis_counters_wants(const char *text, const char *source, char names[MEMPHIS_COUNTER_LIST_MAX]);

/* The first of a list of names from *names on, as a string: 1, or 0 at the end. Moves on behind it. */
int memphis_counters_name(const char **names, char *name, size_t bytes);

#endif
