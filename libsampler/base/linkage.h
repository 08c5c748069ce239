/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether the library is libmemphis.so or, as libmemphis.a, part of the program. */
#ifndef MEMPHIS_LINKAGE_H
#define MEMPHIS_LINKAGE_H

#include <stdbool.h>

/*
 * The shared library's functions are called in place of the C library's because the dynamic loader looks symbols up in
 * the order of loading; those of the archive only where the linker was given --wrap (interpose/wrapped.c).
 */
extern const bool memphis_is_shared;

#endif
