/* SPDX-License-Identifier: BSD-3-Clause */
/* The objects of another process, by their files. */
#ifndef MEMPHIS_MAPS_FILES_H
#define MEMPHIS_MAPS_FILES_H

#include "base/text.h"
#include "record/object.h"

/* Find the objects in another process's list of maps (procfs), from the mapped files; and the object that it executes. */
void memphis_maps_of_files(struct memphis_objects *objects, const struct memphis_text *maps);
void memphis_maps_of_executable(struct memphis_object *object);

#endif
