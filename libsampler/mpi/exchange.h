/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares the logs of all ranks at the end of the job. */
#ifndef MEMPHIS_MPI_EXCHANGE_H
#define MEMPHIS_MPI_EXCHANGE_H

#include "mpi/log.h"

/* A wait whose length has become known. */
struct memphis_mpi_judged {
	uint32_t region, call;
	int partner;
	uint64_t waited_ns;
};

/*
 * Compares the logs. This is a collective call. Returns the waits of this rank whose length is known, and
 * stores their number in *count. Returns NULL if memory is exhausted. The caller frees the list.
 */
struct memphis_mpi_judged *memphis_mpi_exchange(size_t *count);

#endif
