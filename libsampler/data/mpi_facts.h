/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts about the process that the MPI layer has found, for SETTINGS. */
#ifndef MEMPHIS_MPI_FACTS_H
#define MEMPHIS_MPI_FACTS_H

#include "base/text.h"

/* Called by the thread that calls MPI_Init() or MPI_Finalize(). `key` is not copied; a key that is set again has the new value. */
void memphis_mpi_facts_set(const char *key, __u64 value);

/* Appends a line for each fact. */
void memphis_mpi_facts_add(struct memphis_text_buffer *text);

#endif
