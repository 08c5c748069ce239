/* SPDX-License-Identifier: BSD-3-Clause */
/* Parser of the setting MEMPHIS_COUNTERS, which lists the sources of counters and the names requested from each source. */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "settings/counter_list.h"

static const struct {
	const char *name;
	bool takes_names; /* ":NAME,..." must follow the source */
} sources[] = {
	{"numastat", false}, {"vmstat", false}, {"net", false}, {"io", false},
	{"uncore", false},   {"pcp", true},     {"papi", true},
};
#define SOURCES (sizeof(sources) / sizeof(*sources))

/*
 * Returns the end of a name: the first comma or blank outside of brackets, or the NUL. Returns NULL if a
 * bracket is not closed.
 */
static const char *find_name_end(const char *name)
{
	const char *at;

	for (at = name; *at && !strchr(", \t\n", *at); at++)
		if (*at == '[') {
			at = strchr(at, ']');
			if (!at)
				return NULL;
		}
	return at;
}

/* Returns the end of a list of names, or NULL if a name is empty or malformed. */
static const char *find_names_end(const char *names)
{
	const char *at = names, *end;

	for (;; at = end + 1) {
		end = find_name_end(at);
		if (!end || end == at || *at == '[')
			return NULL;
		if (*end != ',')
			return end;
	}
}

int memphis_counters_parse_item(const char **text, struct memphis_counters_item *item)
{
	const char *at = *text + strspn(*text, ", \t\n"), *end;
	size_t i;

	if (!*at)
		return 0;
	item->source = at;
	item->source_length = strcspn(at, ":, \t\n");
	item->names = NULL;
	item->names_length = 0;
	for (i = 0; i < SOURCES; i++)
		if (strlen(sources[i].name) == item->source_length &&
		    !memcmp(sources[i].name, at, item->source_length))
			break;
	end = at + item->source_length;
	if (i == SOURCES || (*end == ':') != sources[i].takes_names)
		return -EINVAL;
	if (*end == ':') {
		item->names = end + 1;
		end = find_names_end(item->names);
		if (!end)
			return -EINVAL;
		item->names_length = (size_t)(end - item->names);
	}
	*text = end;
	return 1;
}

int memphis_counters_wants(const char *text, const char *source, char names[MEMPHIS_COUNTER_LIST_MAX])
{
	struct memphis_counters_item item;
	size_t used = 0;
	int found = 0;

	names[0] = '\0';
	while (memphis_counters_parse_item(&text, &item) > 0) {
		if (strlen(source) != item.source_length || memcmp(source, item.source, item.source_length))
			continue;
		found = 1;
		if (!item.names || used + item.names_length + 2 > MEMPHIS_COUNTER_LIST_MAX)
			continue;
		if (used)
			names[used++] = ',';
		memcpy(names + used, item.names, item.names_length);
		used += item.names_length;
		names[used] = '\0';
	}
	return found;
}

int memphis_counters_name(const char **names, char *name, size_t bytes)
{
	const char *end = find_name_end(*names);
	size_t length;

	/* Names in the list are separated by commas, so blanks occur only inside brackets. */
	if (!end || end == *names)
		return 0;
	length = (size_t)(end - *names);
	if (length >= bytes)
		length = bytes - 1;
	memcpy(name, *names, length);
	name[length] = '\0';
	*names = end + (*end == ',');
	return 1;
}
