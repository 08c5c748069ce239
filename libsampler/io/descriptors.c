/* SPDX-License-Identifier: BSD-3-Clause */
/* The file to which each descriptor refers. If two threads look it up at the same time, both store the same result. */
#include "io/descriptors.h"

#include <stdint.h>

#include <memphis/mpi_layer.h>

#define DESCRIPTORS 65536
#define UNKNOWN     0
#define NO_FILE     1
#define FILES       2 /* this value and those above: number of the file + FILES */

static uint16_t files[DESCRIPTORS]; /* pages that are never used occupy no memory */

static int file_partner(uint16_t file)
{
	return file >= FILES ? MEMPHIS_MPI_FILE + file - FILES : MEMPHIS_MPI_NONE;
}

/* Returns UNKNOWN if the result must not be stored. */
static uint16_t query_file(int fd)
{
	const int partner = memphis_io_file_at(fd);

	if (partner == MEMPHIS_MPI_OTHERS)
		return UNKNOWN;
	return partner == MEMPHIS_MPI_NONE ? NO_FILE : (uint16_t)(partner - MEMPHIS_MPI_FILE + FILES);
}

int memphis_io_file_of(int fd)
{
	uint16_t file;

	if (fd < 0)
		return MEMPHIS_MPI_NONE;
	if (fd >= DESCRIPTORS)
		return MEMPHIS_MPI_FILE;
	file = __atomic_load_n(&files[fd], __ATOMIC_RELAXED);
	if (file == UNKNOWN) {
		file = query_file(fd);
		__atomic_store_n(&files[fd], file, __ATOMIC_RELAXED);
	}
	return file_partner(file);
}

bool memphis_io_is_no_file(int fd)
{
	return fd < 0 || (fd < DESCRIPTORS && __atomic_load_n(&files[fd], __ATOMIC_RELAXED) == NO_FILE);
}

int memphis_io_forget(int fd)
{
	if (fd < 0 || fd >= DESCRIPTORS)
		return MEMPHIS_MPI_NONE;
	return file_partner(__atomic_exchange_n(&files[fd], UNKNOWN, __ATOMIC_RELAXED));
}

void memphis_io_forget_range(unsigned int first, unsigned int last)
{
	for (; first <= last && first < DESCRIPTORS; first++)
		if (__atomic_load_n(&files[first], __ATOMIC_RELAXED) != UNKNOWN)
			memphis_io_forget((int)first);
}
