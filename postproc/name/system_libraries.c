// SPDX-License-Identifier: BSD-3-Clause
/* What is code of the C library and of compilers' runtimes, and how programs call it. */
#include "name/system_libraries.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Names of their files, up to the version. */
static const char *const libraries[] = {"libc",
					"ld",
					"ld-linux",
					"ld-linux-x86-64",
					"libm",
					"libpthread",
					"libgcc_s",
					"libstdc++",
					"libgfortran",
					"libquadmath",
					"libgomp",
					"libgomp-plugin-nvptx",
					"libgomp-plugin-gcn",
					"libiomp5",
					"libomp",
					"libomptarget",
					"libc++",
					"libc++abi",
					"libmvec",
					"libflang_rt",
					"libflang_rt.runtime",
					"libirc",
					"libintlc",
					"libimf",
					"libsvml",
					"ld-musl-x86_64",
					"libatomic",
					"libc.musl-x86_64",
					"libunwind",
					"libunwind-x86_64"};

/* Names of functions that have a variant for each kind of CPU, or are found under names of the library's own. */
static const char *const functions[] = {"memset",  "memcpy", "memmove", "mempcpy", "bzero",  "calloc",
					"realloc", "malloc", "strcpy",  "strncpy", "stpcpy", "strcat",
					"strlen",  "strcmp", "strncmp", "memcmp",  "memchr", "strchr",
					"wmemset", "fread",  "fwrite"};

/* True for a version number, and for the hash that Python wheels append to the names of libraries. */
static bool is_version(const char *text)
{
	return isdigit((unsigned char)*text) || strspn(text, "0123456789abcdef") >= 8;
}

/* "libm.so.6"; "libm-2.31.so" before glibc 2.34; "libgcc_s-14-20240912.so.1" of Fedora; "libgomp-a34b3233.so.1" of a wheel. */
static bool is_system_library(const char *name)
{
	size_t length, i;

	for (i = 0; i < sizeof(libraries) / sizeof(*libraries); i++) {
		length = strlen(libraries[i]);
		if (!strncmp(name, libraries[i], length) &&
		    (!strncmp(name + length, ".so", 3) ||
		     (name[length] == '-' && is_version(name + length + 1))))
			return true;
	}
	return false;
}

bool memphis_in_system_library(const struct memphis_profile *profile, uint32_t instruction)
{
	const uint32_t object = profile->instructions[instruction].object;
	const char *path = NULL, *source;

	if (object != MEMPHIS_NONE)
		path = memphis_profile_text(profile, profile->objects[object].path);
	if (!path)
		return false;
	/* Linked statically, the C library is known by where its sources stand. */
	source = memphis_profile_text(profile, memphis_program_frame(profile, instruction)->path);
	if (source && strstr(source, "sysdeps/"))
		return true;
	return is_system_library(memphis_basename(path));
}

bool memphis_libc_function(const char *symbol, char *name, size_t bytes)
{
	size_t length, i;

	while (*symbol == '_')
		symbol++;
	if (!strncmp(symbol, "GI_", 3))
		symbol += 3;
	if (!strncmp(symbol, "libc_", 5))
		symbol += 5;
	while (*symbol == '_')
		symbol++;
	for (i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		length = strlen(functions[i]);
		if (strncmp(symbol, functions[i], length) || (symbol[length] && symbol[length] != '_'))
			continue;
		snprintf(name, bytes, "%s", functions[i]);
		return true;
	}
	return false;
}
