/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of each descriptor: its path is asked of the kernel at the descriptor's first transfer. */
#ifndef MEMPHIS_IO_DESCRIPTORS_H
#define MEMPHIS_IO_DESCRIPTORS_H

#include <stdbool.h>

/*
 * Returns the partner of the file (memphis_io_file()), or MEMPHIS_MPI_NONE if the descriptor is none of a file: a socket, a pipe, an event.
 * Descriptors beyond the limit are those of an unknown file. Async-signal-safe; keeps errno.
 */
int memphis_io_file_of(int fd);

/* Returns true if it is known that the descriptor is not one of a file. */
bool memphis_io_is_no_file(int fd);

/* The descriptor is about to be closed, or was just opened. Returns its file as memphis_io_file_of() does, without asking for it. */
int memphis_io_forget(int fd);

/* The same for the descriptors from `first` to `last`. */
void memphis_io_forget_range(unsigned int first, unsigned int last);

#endif
