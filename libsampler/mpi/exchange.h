/* SPDX-License-Identifier: BSD-3-Clause */
/* The comparison of the logs of all ranks, at the end of the job. */
#ifndef MEMPHIS_MPI_EXCHANGE_H
#define MEMPHIS_MPI_EXCHANGE_H

#include "mpi/log.h"

/* A wait whose length is known now. */
struct memphis_mpi_judged {
	uint32_t region, call;
	int partner;
	uint64_t waited_ns;
};

/*
 * Compares the logs by a collective call. Returns the waits of this rank whose length is known, and their number in *count; NULL if there
 * are none. The caller frees the list.
 */
struct memphis_mpi_judged *memphis_mpi_exchange(size_t *count);

#endif
