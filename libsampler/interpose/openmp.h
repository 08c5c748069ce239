/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of threads in their OpenMP teams, as far as the runtime provides them. */
#ifndef MEMPHIS_OPENMP_H
#define MEMPHIS_OPENMP_H

#include "core/thread.h"

/* Store the calling thread's number in its record, if the runtime has to be asked for it (GCC's), and there is one. */
void memphis_openmp_ask(struct memphis_thread *self);

#endif
