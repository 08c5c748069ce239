// SPDX-License-Identifier: BSD-3-Clause
/* Values of counters and names of their regions as text. */
#include "view/counters_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const memphis_counters_places[] = {"caliper", "outside", "unknown"};

const char *memphis_counters_region_name(const struct memphis_counters_region *region)
{
	static const char *const names[] = {[MEMPHIS_COUNTER_IN_NONE] = "(outside any caliper)",
					    [MEMPHIS_COUNTER_IN_UNKNOWN] = "(unknown region)"};

	return region->name ? region->name : names[region->place];
}

struct scale {
	double unit;
	const char *symbol;
};

/* Prints three significant digits in the largest unit that does not exceed the value. */
static void print_scaled(char *room, size_t bytes, double value, const struct scale *scales)
{
	double size = fabs(value);

	while (scales->unit > size && scales->unit > 1)
		scales++;
	size /= scales->unit;
	snprintf(room, bytes, "%.*f%s",
		 size >= 100 || size == floor(size) ? 0
		 : size >= 10                       ? 1
						    : 2,
		 value / scales->unit, scales->symbol);
}

const char *memphis_counters_print(char room[MEMPHIS_COUNTER_VALUE_BYTES], double value, const char *unit)
{
	static const struct scale numbers[] = {{1e18, " E"}, {1e15, " P"}, {1e12, " T"}, {1e9, " G"},
					       {1e6, " M"},  {1e3, " k"},  {1, ""}},
				  bytes[] = {{1e18, " EB"}, {1e15, " PB"}, {1e12, " TB"}, {1e9, " GB"},
					     {1e6, " MB"},  {1e3, " kB"},  {1, " B"}},
				  times[] = {{1e9, " s"}, {1e6, " ms"}, {1e3, " us"}, {1, " ns"}};
	size_t used;

	if (!isfinite(value)) {
		snprintf(room, MEMPHIS_COUNTER_VALUE_BYTES, "-");
	} else if (!strcmp(unit, "bytes")) {
		print_scaled(room, MEMPHIS_COUNTER_VALUE_BYTES, value, bytes);
	} else if (!strcmp(unit, "ns")) {
		print_scaled(room, MEMPHIS_COUNTER_VALUE_BYTES, value, times);
	} else {
		print_scaled(room, MEMPHIS_COUNTER_VALUE_BYTES, value, numbers);
		used = strlen(room);
		if (strcmp(unit, "count") && strcmp(unit, "-"))
			snprintf(room + used, MEMPHIS_COUNTER_VALUE_BYTES - used, " %.20s", unit);
	}
	return room;
}
