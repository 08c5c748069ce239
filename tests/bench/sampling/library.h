/* SPDX-License-Identifier: BSD-3-Clause */
/* Pointer chasing in a library, which is no code of the program that calls it. */
#ifndef LIBRARY_H
#define LIBRARY_H

#include <stdint.h>

/* As chase() of chase.h. */
void **library_chase(void **at, uint64_t loads);

#endif
