/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses the answers of the helper programs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters/helper.h"
#include "base/text.h"

static char problem[512]; /* the latest message returned */

/* Splits the first field off the line. Returns NULL if the field is empty or the last one. */
static char *split_field(char **line)
{
	char *start = *line, *end = strchr(start, ' ');

	if (!end || end == start || !end[1])
		return NULL;
	*end = '\0';
	*line = end + 1;
	return start;
}

static bool parse_value(struct memphis_counters_sink *sink, char *line)
{
	char *scope = split_field(&line), *kind = scope ? split_field(&line) : NULL,
	     *node = kind ? split_field(&line) : NULL;
	char *unit = node ? split_field(&line) : NULL, *number = unit ? split_field(&line) : NULL, *end;
	struct memphis_counters_quantity quantity = {.name = line, .node = -1, .unit = unit};
	double value;

	if (!number)
		return false;
	quantity.process = !strcmp(scope, "process");
	quantity.gauge = !strcmp(kind, "gauge");
	if ((!quantity.process && strcmp(scope, "host")) || (!quantity.gauge && strcmp(kind, "counter")))
		return false;
	if (strcmp(node, "-")) {
		quantity.node = (int)strtol(node, &end, 10);
		if (*end || quantity.node < 0)
			return false;
	}
	value = memphis_text_number(number, &end);
	if (*end)
		return false;
	sink->value(sink, &quantity, value);
	return true;
}

static bool parse_refusal(struct memphis_counters_sink *sink, char *line)
{
	char *why = strchr(line, '\t');

	if (!why)
		return false;
	*why++ = '\0';
	sink->refuse(sink, line, why);
	return true;
}

const char *memphis_helper_parse(struct memphis_counters_sink *sink, char *answer)
{
	const char *why = NULL;
	char *line, *end;
	bool right;

	for (line = answer; *line; line = end + 1) {
		end = strchr(line, '\n');
		if (!end)
			return "its helper's answer has no end";
		*end = '\0';
		if (!strncmp(line, "V ", 2)) {
			right = parse_value(sink, line + 2);
		} else if (!strncmp(line, "R ", 2)) {
			right = parse_refusal(sink, line + 2);
		} else if (!strncmp(line, "L ", 2)) {
			right = true;
			if (!why)
				snprintf(problem, sizeof(problem), "%s", line + 2);
			why = problem;
		} else {
			right = !strcmp(line, ".");
		}
		if (!right)
			return "its helper's answer can't be understood";
	}
	return why;
}
