/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the names of the variables to which the remembered remote loads of each process belong. */
#ifndef MEMPHIS_LEADING_H
#define MEMPHIS_LEADING_H

#include "top/live.h"

/*
 * Finds the leading variables of all processes, if there are new loads since the previous call. The time
 * grows with the number of allocations of the processes. The first call takes longest, because it reads debug
 * information. Returns 0, or a negative errno with a message in *error.
 */
int memphis_leading_find(struct memphis_live *live, struct memphis_error *error);

#endif
