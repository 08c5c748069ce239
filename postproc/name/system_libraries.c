// SPDX-License-Identifier: BSD-3-Clause
/* Recognizes code of the C library and of compilers' runtime libraries. Finds the public names of internal functions. */
#include "name/system_libraries.h"

#include <ctype.h>
#include <string.h>

/* File names of the libraries, without version and suffix. */
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

/* Public functions of the C library that have variants for different CPUs, or another internal name. */
static const char *const functions[] = {"memset",  "memcpy", "memmove", "mempcpy", "bzero",  "calloc",
					"realloc", "malloc", "strcpy",  "strncpy", "stpcpy", "strcat",
					"strlen",  "strcmp", "strncmp", "memcmp",  "memchr", "strchr",
					"wmemset", "fread",  "fwrite"};

/* Prefixes of the file names of allocator libraries. */
static const char *const allocators[] = {"libmemkind.",  "libautohbw.",   "libjemalloc.", "libjemalloc_",
					 "libtcmalloc.", "libtcmalloc_",  "libmimalloc",  "libtbbmalloc",
					 "libhoard.",    "libumf.",       "librpmalloc",  "libsnmalloc",
					 "libscalloc.",  "libsupermalloc"};

/*
 * Functions by which allocators get memory from the kernel, for allocators that are linked into a program.
 * The first list has whole names, the second one has prefixes.
 */
static const char *const allocator_functions[] = {
	"os_pages_map",     "pages_map",        "extent_alloc_mmap",
	"unix_mmap",        "unix_mmap_prim",   "unix_mmap_prim_aligned",
	"_mi_os_alloc",     "_mi_prim_alloc",   "_rpmalloc_mmap_os",
	"rpmalloc_mmap_os", "MmapSysAllocator", "dlmalloc",
	"dlmemalign",       "ucm_dlmalloc"};
static const char *const allocator_beginnings[] = {"je_", "jemk_", "_rjem_",
						   "tcmalloc::", "MmapSysAllocator::"};

/* Prefixes of functions of the C++, Fortran and Rust libraries that may be compiled into a program. */
static const char *const library_beginnings[] = {"std::",    "void std::", "__gnu_cxx::", "operator new",
						 "_Fortran", "alloc::",    "core::",      "hashbrown::"};

static bool begins_with_any(const char *text, const char *const *beginnings, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (!strncmp(text, beginnings[i], strlen(beginnings[i])))
			return true;
	return false;
}

bool memphis_is_library_function(const char *function)
{
	/* A Rust function that implements a trait begins with "<type as". */
	return begins_with_any(function + (*function == '<'), library_beginnings,
			       sizeof(library_beginnings) / sizeof(*library_beginnings));
}

bool memphis_is_allocator(const char *name, const char *function)
{
	size_t i;

	if (begins_with_any(name, allocators, sizeof(allocators) / sizeof(*allocators)))
		return true;
	if (!function)
		return false;
	for (i = 0; i < sizeof(allocator_functions) / sizeof(*allocator_functions); i++)
		if (!strcmp(function, allocator_functions[i]))
			return true;
	return begins_with_any(function, allocator_beginnings,
			       sizeof(allocator_beginnings) / sizeof(*allocator_beginnings));
}

/*
 * Libraries that allocate on behalf of their callers: MPI and other message passing, its transport layers,
 * and huge pages. Variables of the callers name the memory. The entries are prefixes of file names. They are
 * long enough to exclude libraries of applications such as libpsmile and libsmartredis.
 */
static const char *const allocating_libraries[] = {
	"libmpi.",     "libmpi_",   "libmpi+",       "libmpich",         "libmpicxx",  "libmpifort",
	"libmpigi",    "libmpigf",  "libmpiwrapper", "libmpitrampoline", "libpmpi",    "libopen-pal",
	"libopen-rte", "liboshmem", "libpmix",       "libprrte",         "libsma.",    "libucm.",
	"libucp.",     "libucs.",   "libuct.",       "libucc.",          "libfabric.", "libpsm2",
	"libpsm3",     "libpsm_",   "libhugetlbfs",  "libnuma.",
};

bool memphis_is_allocating_library(const char *name)
{
	return begins_with_any(name, allocating_libraries,
			       sizeof(allocating_libraries) / sizeof(*allocating_libraries));
}

bool memphis_is_interpreter(const char *name)
{
	static const char *const beginnings[] = {"libpython2", "libpython3"};
	static const char program[] = "python";

	if (begins_with_any(name, beginnings, sizeof(beginnings) / sizeof(*beginnings)))
		return true;
	if (strncmp(name, program, sizeof(program) - 1) != 0)
		return false;
	name += sizeof(program) - 1;
	return !name[strspn(name, "0123456789.")];
}

bool memphis_is_python(const char *name)
{
	static const char *const beginnings[] = {"_multiarray_umath."};

	return memphis_is_interpreter(name) ||
	       begins_with_any(name, beginnings, sizeof(beginnings) / sizeof(*beginnings));
}

/* Returns true if the text is a version number, or a hash as in file names of libraries in Python wheels. */
static bool is_version(const char *text)
{
	return isdigit((unsigned char)*text) || strspn(text, "0123456789abcdef") >= 8;
}

/*
 * Accepts "libm.so.6", "libm-2.31.so" (glibc before 2.34), "libgcc_s-14-20240912.so.1" (Fedora), and
 * "libgomp-a34b3233.so.1" (from a Python wheel).
 */
bool memphis_is_system_library(const char *name)
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
	const uint32_t object =
		profile->instructions[memphis_program_instruction(profile, instruction)].object;
	const char *path = NULL, *source;

	if (object != MEMPHIS_NONE)
		path = memphis_profile_text(profile, profile->objects[object].path);
	if (!path)
		return false;
	/* If the C library is linked statically, only the path of the source file identifies it. */
	source = memphis_profile_text(profile, memphis_program_frame(profile, instruction)->path);
	if (source && strstr(source, "sysdeps/"))
		return true;
	return memphis_is_system_library(memphis_basename(path));
}

const char *memphis_libc_public(const char *symbol)
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
		return functions[i];
	}
	return NULL;
}
