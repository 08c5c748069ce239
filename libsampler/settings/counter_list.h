/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parser of the setting MEMPHIS_COUNTERS, which lists the sources of counters and the names requested from
 * each source. It is also linked into the helper programs. Does not allocate memory: the returned pointers
 * point into the text that was passed.
 */
#ifndef MEMPHIS_COUNTER_LIST_H
#define MEMPHIS_COUNTER_LIST_H

#include <stddef.h>

#define MEMPHIS_COUNTER_LIST_MAX 4096 /* maximum size of the setting in bytes, including the NUL */

/*
 * One source in the list. Sources are separated by commas or blanks. "pcp:" and "papi:" are followed by
 * names, which are separated by commas and end at the next blank. Brackets and the text inside them are part
 * of a name.
 */
struct memphis_counters_item {
	const char *source;
	size_t source_length;
	const char *names; /* text after the colon; NULL if there is no colon */
	size_t names_length;
};

/* Reads the next item and moves *text behind it. Returns 1, or 0 at the end of the text, or -EINVAL. */
int memphis_counters_parse_item(const char **text, struct memphis_counters_item *item);

/*
 * Collects the names from all items of `source`, and stores them in `names`, separated by commas. Returns 1,
 * or 0 if the list does not contain the source.
 */
int memphis_counters_wants(const char *text, const char *source, char names[MEMPHIS_COUNTER_LIST_MAX]);

/*
 * Copies the next name of a list to `name`, and moves *names behind it. The copy is truncated to `bytes`
 * bytes including the NUL. Returns 1, or 0 at the end of the list.
 */
int memphis_counters_name(const char **names, char *name, size_t bytes);

#endif
