/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds libmemphis, the functions in it that only the tool of the same version calls, and its layers. */
#ifndef MEMPHIS_LIBRARY_H
#define MEMPHIS_LIBRARY_H

#include <limits.h>
#include <stdbool.h>

#include "base/error.h"

/* The soname: the bare libmemphis.so belongs to the development package and may be missing. */
#define MEMPHIS_LIBRARY "libmemphis.so.0"

/*
 * Finds the library relative to the tool (../lib, or ../lib/TRIPLET as in distributions), or as set in MEMPHIS_LIB. Returns 0 or a
 * negative errno.
 */
int memphis_library_find(char path[PATH_MAX], struct memphis_error *error);

/* Loads the library into the tool. Returns the function, or NULL and the reason in *error. */
void *memphis_library_function(const char *path, const char *function, struct memphis_error *error);

/*
 * Sets `layer` to the path of the layer for the MPI library that the program needs, beside the library. Returns 0, or an error with a message in
 * *error.
 */
int memphis_library_find_mpi(const char *program, const char *library, char layer[PATH_MAX],
			     struct memphis_error *error);

/* Sets `layer` to the path of the layer for I/O, beside the library. Returns 0, or an error with a message in *error. */
int memphis_library_find_io(const char *library, char layer[PATH_MAX], struct memphis_error *error);

#endif
