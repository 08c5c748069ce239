// SPDX-License-Identifier: BSD-3-Clause
/* The model of the CPU, as /proc/cpuinfo describes the first one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "node/machine/machine.h"

/*
 * Finds the line `key : value` in /proc/cpuinfo (proc(5)). Returns the value, which extends to the end of the
 * line, or NULL if there is no such line.
 */
static const char *find_value(const char *text, const char *key)
{
	const char *line = text, *rest;

	while (line && *line) {
		if (!strncmp(line, key, strlen(key))) {
			rest = line + strlen(key);
			rest += strspn(rest, " \t");
			if (*rest == ':')
				return rest + 1 + strspn(rest + 1, " \t");
		}
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	return NULL;
}

/* Copies a value up to the end of its line. Copies `otherwise` if `value` is NULL. */
static void copy_value(char *to, size_t bytes, const char *value, const char *otherwise)
{
	if (!value)
		value = otherwise;
	snprintf(to, bytes, "%.*s", (int)strcspn(value, "\n"), value);
}

/* Returns true if the flag is in the line of flags. */
static bool has_flag(const char *flags, const char *flag)
{
	const size_t bytes = strlen(flag);
	const char *end = flags ? flags + strcspn(flags, "\n") : NULL;

	while (flags < end) {
		if (!strncmp(flags, flag, bytes) && strchr(" \n", flags[bytes]))
			return true;
		flags += strcspn(flags, " \n");
		flags += flags < end;
	}
	return false;
}

void memphis_processor_read(struct memphis_processor *processor, const char *root)
{
	char *text = memphis_root_read(root, "/proc/cpuinfo");
	const char *vendor = find_value(text, "vendor_id"), *name = find_value(text, "model name");
	const char *family = find_value(text, "cpu family"), *model = find_value(text, "model");
	const char *flags = find_value(text, "flags");

	*processor = (struct memphis_processor){
		.part = {.family = family ? (unsigned int)strtoul(family, NULL, 10) : 0,
			 .model = model ? (unsigned int)strtoul(model, NULL, 10) : 0,
			 .guest = has_flag(flags, "hypervisor")},
		.has_ibs = has_flag(flags, "ibs"),
	};
	copy_value(processor->identification, sizeof(processor->identification), vendor, "unknown vendor");
	copy_value(processor->name, sizeof(processor->name), name, "unknown CPU");
	processor->vendor = memphis_vendor(processor->identification);
	free(text);
}

void memphis_processor_put(struct memphis_text *text, const struct memphis_processor *processor)
{
	memphis_text_print(text, "%s (family %#x, model %#x)", processor->name, processor->part.family,
			   processor->part.model);
}
