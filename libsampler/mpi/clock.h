/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Converts stamps of this rank to the clock of rank 0. The two clocks are compared in MPI_Init() and in
 * MPI_Finalize(). In between, their relation is assumed to be linear.
 */
#ifndef MEMPHIS_MPI_CLOCK_H
#define MEMPHIS_MPI_CLOCK_H

#include "mpi/state.h"

/* Compares the clock with that of rank 0, for the first or the `last` time. This is a collective call. */
void memphis_mpi_clock_compare(bool last);

/* Converts a stamp to the time of rank 0's clock in ns. */
int64_t memphis_mpi_clock_ns(uint64_t stamp);

/* Returns the maximum error of a converted time in ns. Returns 0 if this rank has the same clock as rank 0. */
uint64_t memphis_mpi_clock_error(void);

#endif
