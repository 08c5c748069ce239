/* SPDX-License-Identifier: BSD-3-Clause */
/* The file that each descriptor refers to. The kernel is asked for the path at the descriptor's first transfer. */
#ifndef MEMPHIS_IO_DESCRIPTORS_H
#define MEMPHIS_IO_DESCRIPTORS_H

#include <stdbool.h>

/*
 * Returns the partner number of the descriptor's file (memphis_io_file()). Returns MEMPHIS_MPI_NONE if the
 * descriptor refers to a socket, a pipe or an event. Descriptors beyond the limit count as those of an
 * unknown file. Async-signal-safe; keeps errno.
 */
int memphis_io_file_of(int fd);

/* Returns true if it is known that the descriptor does not refer to a file. */
bool memphis_io_is_no_file(int fd);

/*
 * Called when the descriptor is about to be closed, or was just opened: forgets its file. Returns the file as memphis_io_file_of() does,
 * but does not ask the kernel for it.
 */
int memphis_io_forget(int fd);

/* Forgets the files of the descriptors from `first` to `last`. */
void memphis_io_forget_range(unsigned int first, unsigned int last);

#endif
