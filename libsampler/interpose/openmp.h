/* SPDX-License-Identifier: BSD-3-Clause */
/* Which number a thread has in its OpenMP team, as far as the runtime tells. */
#ifndef MEMPHIS_OPENMP_H
#define MEMPHIS_OPENMP_H

#include "core/thread.h"

/* Put the calling thread's number into its record, if the runtime is one that has to be asked, and there is a number. */
void memphis_openmp_ask(struct memphis_thread *self);

#endif
