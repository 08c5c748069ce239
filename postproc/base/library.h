/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds libmemphis, functions in it that only a tool of the same version may call, and its layers: libraries
 * that are loaded into a program to record MPI or I/O calls.
 */
#ifndef MEMPHIS_LIBRARY_H
#define MEMPHIS_LIBRARY_H

#include <limits.h>
#include <stdbool.h>

#include "base/error.h"

/* The file name with its version, because libmemphis.so belongs to the development package and may be missing. */
#define MEMPHIS_LIBRARY "libmemphis.so.0"

/*
 * Finds libmemphis in the directories ../lib, ../lib64 and ../lib/x86_64-linux-gnu relative to the tool, or
 * at the path in MEMPHIS_LIB. Returns 0 or a negative errno.
 */
int memphis_library_find(char path[PATH_MAX], struct memphis_error *error);

/* Loads the library into the tool. Returns the address of `function`, or NULL with a message in *error. */
void *memphis_library_function(const char *path, const char *function, struct memphis_error *error);

/*
 * Sets `layer` to the path of the layer for the MPI library that the program needs. The layer is in the
 * directory memphis/ next to `library`. Returns 0, or a negative errno with a message in *error.
 */
int memphis_library_find_mpi(const char *program, const char *library, char layer[PATH_MAX],
			     struct memphis_error *error);

/*
 * Sets `layer` to the path of the layer for I/O, in the directory memphis/ next to `library`. Returns 0, or a
 * negative errno with a message in *error.
 */
int memphis_library_find_io(const char *library, char layer[PATH_MAX], struct memphis_error *error);

#endif
