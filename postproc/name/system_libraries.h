/* SPDX-License-Identifier: BSD-3-Clause */
/* Recognizes code of the C library and of compilers' runtime libraries. */
#ifndef MEMPHIS_SYSTEM_LIBRARIES_H
#define MEMPHIS_SYSTEM_LIBRARIES_H

#include "profile/profile.h"

/* Returns true for the file name of the C library or of a compiler's runtime library. */
bool memphis_is_system_library(const char *name);

/*
 * Returns true if the instruction is in the C library or a compiler's runtime library, and no line of the
 * program is known that called it. A user cannot change the lines of these libraries.
 */
bool memphis_in_system_library(const struct memphis_profile *profile, uint32_t instruction);

/* Returns true for the file name of a library that allocates for its callers. Such memory is named by the callers' variables. */
bool memphis_is_allocating_library(const char *name);

/* Returns true for the file name of Python's interpreter, or of its library. */
bool memphis_is_interpreter(const char *name);

/* Returns true for the interpreter, its library, and the part of numpy that allocates arrays. */
bool memphis_is_python(const char *name);

/*
 * Returns true if the function, in a file with this name, belongs to an allocator, which gets memory from the
 * kernel. `function` may be NULL.
 */
bool memphis_is_allocator(const char *name, const char *function);

/*
 * Returns the public name of an internal function of the C library, such as "memset" for
 * __memset_avx2_unaligned_erms, or NULL if it is unknown.
 */
const char *memphis_libc_public(const char *symbol);

/* Returns true for functions of the C++, Fortran and Rust libraries. Such functions may be compiled into a program. */
bool memphis_is_library_function(const char *function);

#endif
