// SPDX-License-Identifier: BSD-3-Clause
/* memphis --version: prints the version, and the optional parts that the tool and the library have. */
#include "cmd/version.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <memphis/version.h>

#include "base/library.h"

/* The optional parts of the library, and their files in the directory memphis/ next to the library. */
static const struct part {
	const char *name;
	const char *file;
} parts[] = {
	{"abi", "libmemphis-mpi-abi.so"},
	{"mpich", "libmemphis-mpi-mpich.so"},
	{"openmpi", "libmemphis-mpi-openmpi.so"},
	{"papi", "memphis-papi"},
	{"pcp", "memphis-pcp"},
};

static bool has_part(const char *library, const char *file)
{
	char path[PATH_MAX];

	return snprintf(path, sizeof(path), "%.*s/memphis/%s", (int)(strrchr(library, '/') - library),
			library, file) < PATH_MAX &&
	       !access(path, R_OK);
}

/* Prints the names of the library's parts that are present (`there` is true) or missing (false). */
static void print_parts(const char *library, const char *title, bool there)
{
	const char *separator = title;
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		if (has_part(library, parts[i].file) != there)
			continue;
		printf("%s%s", separator, parts[i].name);
		separator = ",";
	}
	if (separator != title)
		putchar('\n');
}

void memphis_version_print(void)
{
	struct memphis_error error;
	char library[PATH_MAX];

	puts("memphis " MEMPHIS_VERSION);
	if (*MEMPHIS_WITH)
		puts("tool with: " MEMPHIS_WITH);
	if (*MEMPHIS_WITHOUT)
		puts("tool without: " MEMPHIS_WITHOUT);
	if (memphis_library_find(library, &error)) {
		puts("library: not found");
		return;
	}
	printf("library: %s\n", library);
	print_parts(library, "library with: ", true);
	print_parts(library, "library without: ", false);
}
