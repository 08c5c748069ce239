/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of segments, as in [heap]:tx. *segment is released first, and must be freed by the caller. The functions return 0, or -ENOMEM with
 * NULL in *segment.
 */
#ifndef MEMPHIS_SEGMENT_H
#define MEMPHIS_SEGMENT_H

#include "dwarf/binary.h"
#include "read/maps.h"

/* The name of the section, or the base name of the file if `section` is none. */
int memphis_segment_of_section(const struct memphis_binary *binary, int section, char **segment);

/* The kind of the map, or the base name of its file; `map` NULL: "unmapped". */
int memphis_segment_of_map(const struct memphis_map *map, char **segment);

/* Formats a text in the same way. */
__attribute__((format(printf, 2, 3))) int memphis_set_text(char **text, const char *format, ...);

#endif
