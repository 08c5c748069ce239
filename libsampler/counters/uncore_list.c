/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the list of memory controllers' counters that root passes to the module. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/sys.h"
#include "counters/source.h"
#include "counters/uncore_find.h"

#define ROUNDING 0.001 /* tolerance for the numbers of sysfs, in bytes */

/* Returns the number of bytes per count, or 0 if it is not a whole number. */
static unsigned int bytes_per_count(double bytes)
{
	const unsigned int whole = bytes < 1u << 30 ? (unsigned int)(bytes + 0.5) : 0;

	return bytes > whole - ROUNDING && bytes < whole + ROUNDING ? whole : 0;
}

/* Returns true if both are the same event on different CPUs. */
static bool is_same_event(const struct memphis_uncore_counter *a, const struct memphis_uncore_counter *b)
{
	return a->type == b->type && !memcmp(a->config, b->config, sizeof(a->config)) &&
	       !strcmp(a->name, b->name);
}

/* Writes the lines of the counters. The counters of one event are adjacent in the result of memphis_uncore_find(). */
static void write_list(FILE *to, const struct memphis_uncore_counter *counters, unsigned int count)
{
	const struct memphis_uncore_counter *c;
	unsigned int i, bytes;

	for (i = 0; i < count; i++) {
		c = &counters[i];
		bytes = bytes_per_count(c->bytes);
		if (!bytes)
			continue;
		if (!i || !is_same_event(c, c - 1))
			fprintf(to, "%s %u %u %#llx %#llx %#llx ", c->writes ? "write" : "read", bytes,
				c->type, c->config[0], c->config[1], c->config[2]);
		fprintf(to, "%d:%d", c->cpu, c->node);
		if (i + 1 < count && is_same_event(c, c + 1))
			fputc(',', to);
		else
			fprintf(to, " %s\n", c->name);
	}
}

PUBLIC int memphis_controllers_list(const char *root, char *list, size_t bytes)
{
	struct memphis_uncore_counter *counters = sys_map(MEMPHIS_UNCORE_MAX * sizeof(*counters));
	const char *const before = memphis_counters_root;
	FILE *to = fmemopen(list, bytes, "w");
	unsigned int count;
	int length = -ENOMEM;

	if (counters && to) {
		memphis_counters_root = root;
		count = memphis_uncore_find(counters, MEMPHIS_UNCORE_MAX);
		memphis_counters_root = before;
		write_list(to, counters, count);
		length = (int)ftell(to);
	}
	if (to && (fclose(to) || length >= (int)bytes))
		length = -E2BIG;
	if (counters)
		sys_unmap(counters, MEMPHIS_UNCORE_MAX * sizeof(*counters));
	return length ? length : -ENOENT;
}
