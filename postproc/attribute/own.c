// SPDX-License-Identifier: BSD-3-Clause
/* Finds the address ranges of the sampling library. */
#include "attribute/own.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LIBRARY "libmemphis.so" /* may be followed by a version */
#define SECTION "memphis_text"  /* the section of a program that contains the code of libmemphis.a */

static int add_range(struct memphis_own *own, uint64_t low, uint64_t high)
{
	uint64_t end = own->low + own->bytes;
	struct memphis_own_range *range;

	if (low >= high)
		return 0;
	range = memphis_append(own->ranges, own->count, own->room);
	if (!range)
		return -ENOMEM;
	*range = (struct memphis_own_range){low, high};
	if (own->count == 1 || low < own->low)
		own->low = low;
	own->bytes = (high > end ? high : end) - own->low;
	return 0;
}

static bool is_sampling_library(const char *path)
{
	const char *name = memphis_basename(path);

	return !strncmp(name, LIBRARY, strlen(LIBRARY)) &&
	       (!name[strlen(LIBRARY)] || name[strlen(LIBRARY)] == '.');
}

/* Adds the code of a statically linked library. Its data cannot be distinguished from the program's. */
static int add_sections(struct memphis_own *own, const struct memphis_binary *binary, uint64_t bias)
{
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < binary->section_count; i++)
		if (!strcmp(binary->sections[i].name, SECTION))
			rc = add_range(own, binary->sections[i].low + bias, binary->sections[i].high + bias);
	return rc;
}

int memphis_own_open(struct memphis_own *own, const struct memphis_maps *maps,
		     const struct memphis_binaries *binaries)
{
	const struct memphis_instance *instance;
	const struct memphis_binary *binary;
	size_t i;
	int rc = 0;

	memset(own, 0, sizeof(*own));
	for (i = 0; !rc && i < maps->instance_count; i++) {
		instance = &maps->instances[i];
		binary = binaries->list[instance->binary];
		rc = is_sampling_library(binary->path) ? add_range(own, instance->low, instance->high)
						       : add_sections(own, binary, instance->bias);
	}
	return rc;
}

bool memphis_own_holds(const struct memphis_own *own, uint64_t address)
{
	size_t i;

	for (i = 0; i < own->count; i++)
		if (address >= own->ranges[i].low && address < own->ranges[i].high)
			return true;
	return false;
}

void memphis_own_close(struct memphis_own *own)
{
	free(own->ranges);
	memset(own, 0, sizeof(*own));
}
