/* SPDX-License-Identifier: BSD-3-Clause */
/* The file to which each descriptor refers. The kernel is asked for the path at the first transfer of the descriptor. */
#ifndef MEMPHIS_IO_DESCRIPTORS_H
#define MEMPHIS_IO_DESCRIPTORS_H

#include <stdbool.h>

/*
 * Returns the partner number of the descriptor's file (memphis_io_file()). Returns MEMPHIS_MPI_NONE if the
 * descriptor refers to a socket, a pipe or an event. Descriptors above the limit are treated as those of an
 * unknown file. Async-signal-safe; preserves errno.
 */
int memphis_io_file_of(int fd);

/* Returns true if the descriptor is already known not to refer to a file. */
bool memphis_io_is_no_file(int fd);

/*
 * Forgets the file of a descriptor. Called before the descriptor is closed, and after it was opened. Returns
 * the file like memphis_io_file_of(), but does not ask the kernel for it.
 */
int memphis_io_forget(int fd);

/* Forgets the files of all descriptors from `first` to `last`. */
void memphis_io_forget_range(unsigned int first, unsigned int last);

#endif
