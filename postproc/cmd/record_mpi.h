/* SPDX-License-Identifier: BSD-3-Clause */
/* The layers for MPI and I/O that are to be loaded into a program. */
#ifndef MEMPHIS_RECORD_MPI_H
#define MEMPHIS_RECORD_MPI_H

#include <limits.h>

#include "base/error.h"

/*
 * Sets `layer` to the path of the layer for the MPI library that the program needs, beside the library. Returns 0, or an error with a message in
 * *error.
 */
int memphis_record_mpi_find(const char *program, const char *library, char layer[PATH_MAX],
			    struct memphis_error *error);

/* Sets `layer` to the path of the layer for I/O, beside the library. Returns 0, or an error with a message in *error. */
int memphis_record_io_find(const char *library, char layer[PATH_MAX], struct memphis_error *error);

#endif
