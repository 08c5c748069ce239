/* SPDX-License-Identifier: BSD-3-Clause */
/* The objects that are loaded: their build-ids, and the list of maps with them. */
#ifndef MEMPHIS_MAPS_H
#define MEMPHIS_MAPS_H

#include <link.h>

#include "base/text.h"

#define MEMPHIS_BUILD_ID_MAX 32 /* bytes */
#define MEMPHIS_OBJECTS_MAX  4096

struct memphis_object {
	__u64 start, end;
	char build_id[2 * MEMPHIS_BUILD_ID_MAX + 1]; /* as hex; "-" without one */
};

struct memphis_objects {
	size_t count;
	struct memphis_object object[MEMPHIS_OBJECTS_MAX];
};

/* `out`: 2 * MEMPHIS_BUILD_ID_MAX + 1 bytes. */
void memphis_maps_executable_build_id(char *out);

/* How many objects have been unloaded; and that dlclose() has just done so. The program's threads, not in signal handlers. */
__u64 memphis_maps_unloads(void);
void memphis_maps_unloaded(void);

/* Where a segment of an object loaded at `bias` lies. */
void memphis_object_cover(struct memphis_object *object, const ElfW(Phdr) * segment, __u64 bias);
/* The build-id among the notes in [p, end), if it is there. */
void memphis_object_identify(struct memphis_object *object, const char *p, const char *end);

/* Those of another process, from its list of maps (procfs) and the files themselves; and of the file that it executes. */
void memphis_maps_of_files(struct memphis_objects *objects, const struct memphis_text *maps);
void memphis_maps_of_executable(struct memphis_object *object);

#endif
