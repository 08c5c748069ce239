/* SPDX-License-Identifier: BSD-3-Clause */
/* The objects that are loaded: their build-ids, and the list of maps with them. */
#ifndef MEMPHIS_MAPS_H
#define MEMPHIS_MAPS_H

#include "text.h"

#define MEMPHIS_BUILD_ID_MAX 32 /* bytes */

/* As hex with a NUL, "-" without one. `out`: 2 * MEMPHIS_BUILD_ID_MAX + 1 bytes. */
void memphis_maps_executable_build_id(char *out);

#endif
