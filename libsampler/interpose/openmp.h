/* SPDX-License-Identifier: BSD-3-Clause */
/* Thread numbers in OpenMP teams, if the runtime provides them. */
#ifndef MEMPHIS_OPENMP_H
#define MEMPHIS_OPENMP_H

#include "core/thread.h"

/*
 * Stores the calling thread's number in its record. Needed only for a runtime that the library must query
 * (GCC's libgomp). Has no effect if the thread has no number.
 */
void memphis_openmp_ask(struct memphis_thread_record *self);

#endif
