/* SPDX-License-Identifier: BSD-3-Clause */
/* Tells whether the library is libmemphis.so, or libmemphis.a linked into the program. */
#ifndef MEMPHIS_LINKAGE_H
#define MEMPHIS_LINKAGE_H

#include <stdbool.h>

/*
 * True in the shared library. The functions of the shared library replace those of the C library because the
 * dynamic loader searches symbols in load order. The functions of the archive replace them only if the linker
 * was called with --wrap (interpose/wrapped.c).
 */
extern const bool memphis_is_shared;

#endif
