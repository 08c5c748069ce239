/* SPDX-License-Identifier: BSD-3-Clause */
/* The objects of another process, by their files. */
#ifndef MEMPHIS_MAPS_FILES_H
#define MEMPHIS_MAPS_FILES_H

#include "base/text.h"
#include "record/object.h"

/* Those of another process, from its list of maps (procfs) and the files themselves; and of the file that it executes. */
void memphis_maps_of_files(struct memphis_objects *objects, const struct memphis_text *maps);
void memphis_maps_of_executable(struct memphis_object *object);

#endif
