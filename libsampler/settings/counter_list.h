/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parser of MEMPHIS_COUNTERS, which lists the sources of counters and the names requested from each. Also
 * linked into the helpers. Does not allocate: pointers point into the text that was passed.
 */
#ifndef MEMPHIS_COUNTER_LIST_H
#define MEMPHIS_COUNTER_LIST_H

#include <stddef.h>

#define MEMPHIS_COUNTER_LIST_MAX 4096 /* maximum size of the setting in bytes, including the NUL */

/*
 * One source of the list. Sources are separated by commas or blanks. "pcp:" and "papi:" are followed by names
 * separated by commas, up to the next blank. Brackets and their content are part of a name.
 */
struct memphis_counters_item {
	const char *source;
	size_t source_length;
	const char *names; /* text after the colon; NULL: no colon */
	size_t names_length;
};

/* Reads the next item and advances *text past it. Returns 1, 0 at the end of the text, or -EINVAL. */
int memphis_counters_parse_item(const char **text, struct memphis_counters_item *item);

/*
 * Collects the names of all items of `source` in `names`, separated by commas. Returns 1, or 0 if the list does not contain
 * the source.
 */
int memphis_counters_wants(const char *text, const char *source, char names[MEMPHIS_COUNTER_LIST_MAX]);

/*
 * Copies the next name of a list to `name`, truncated to `bytes` including the NUL, and advances *names past
 * it. Returns 1, or 0 at the end of the list.
 */
int memphis_counters_name(const char **names, char *name, size_t bytes);

#endif
