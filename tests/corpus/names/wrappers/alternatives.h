/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two macros in a header that the compiler finds only with -I. MAKE has two definitions, one of them for builds that
 * trace allocations. MESH_MASS is used on the left side of assignments.
 */
#ifndef WRAPPER_ALTERNATIVES_H
#define WRAPPER_ALTERNATIVES_H

#include <stddef.h>

struct mesh {
	double *mass, *force;
};

#ifdef TRACE_ALLOCATIONS
#define MAKE(type, count) ((type *)traced_make((count), sizeof(type), 1))
#else
#define MAKE(type, count) ((type *)checked_make((count), sizeof(type)))
#endif

#define MESH_MASS(mesh) ((mesh)->mass)

void *traced_make(size_t count, size_t bytes, int line);
void *checked_make(size_t count, size_t bytes);

#endif
