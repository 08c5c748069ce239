/* SPDX-License-Identifier: BSD-3-Clause */
/* Tells findings about memory that belongs to one thread, as in an MPI rank. The remedy is then to bind the process. */
#ifndef MEMPHIS_ONE_THREAD_H
#define MEMPHIS_ONE_THREAD_H

#include "profile/finding.h"
#include "profile/profile.h"

/*
 * Returns whether one thread does all the work of the process, and the memory is the process's own. Shared memory and
 * mapped files may have been placed by other processes, which binding this process does not change.
 */
bool memphis_finding_is_of_one_thread(const struct memphis_finding *finding,
				      const struct memphis_profile *profile);

#endif
