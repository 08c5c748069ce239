/* SPDX-License-Identifier: BSD-3-Clause */
/* Converts stamps of this rank to the clock of rank 0: both clocks are compared in MPI_Init() and MPI_Finalize(), and are linear in between. */
#ifndef MEMPHIS_MPI_CLOCK_H
#define MEMPHIS_MPI_CLOCK_H

#include "mpi/state.h"

/* Compares the clock with that of rank 0, the first or the last time. A collective call. */
void memphis_mpi_clock_compare(bool last);

/* Returns the time of rank 0's clock in ns at the stamp. */
int64_t memphis_mpi_clock_ns(uint64_t stamp);

/* Returns by how much a time may be wrong, in ns; 0 if this rank has the same clock as rank 0. */
uint64_t memphis_mpi_clock_error(void);

#endif
