/* SPDX-License-Identifier: BSD-3-Clause */
/* An object (ELF file) in memory: its address range and its build-id. */
#ifndef MEMPHIS_OBJECT_H
#define MEMPHIS_OBJECT_H

#include <link.h>

#include "base/sys.h"

#define MEMPHIS_BUILD_ID_MAX 32 /* bytes */
#define MEMPHIS_OBJECTS_MAX  4096

struct memphis_mapped_object {
	__u64 start, end;
	char build_id[2 * MEMPHIS_BUILD_ID_MAX + 1]; /* in hexadecimal; "-" if there is none */
};

struct memphis_mapped_objects {
	size_t count;
	struct memphis_mapped_object object[MEMPHIS_OBJECTS_MAX];
};

/* Extends the address range of an object loaded at `bias` by a segment, rounded to whole pages. */
void memphis_object_cover(struct memphis_mapped_object *object, const ElfW(Phdr) * segment, __u64 bias);
/* Stores the build-id in *object if the notes in [p, end) contain one. */
void memphis_object_identify(struct memphis_mapped_object *object, const char *p, const char *end);

#endif
