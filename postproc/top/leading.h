/* SPDX-License-Identifier: BSD-3-Clause */
/* The variables that the remembered remote loads of each process belong to, by name. */
#ifndef MEMPHIS_LEADING_H
#define MEMPHIS_LEADING_H

#include "top/live.h"

/*
 * Finds the leaders of all processes, if there are new loads since the last time. Takes longer the more allocations the processes have made,
 * and longest for the first time, when debug information is read. Returns 0, or a negative errno with a message in *error.
 */
int memphis_leading_find(struct memphis_live *live, struct memphis_error *error);

#endif
