/* SPDX-License-Identifier: BSD-3-Clause */
/* Objects of another process, identified by the files that it has mapped. */
#ifndef MEMPHIS_MAPS_FILES_H
#define MEMPHIS_MAPS_FILES_H

#include "base/text.h"
#include "record/object.h"

/*
 * memphis_maps_of_files() finds the objects in another process's list of maps (procfs), and reads them from
 * the mapped files. memphis_maps_of_executable() finds the object that the process executes.
 */
void memphis_maps_of_files(struct memphis_mapped_objects *objects, const struct memphis_text_buffer *maps);
void memphis_maps_of_executable(struct memphis_mapped_object *object);

/* Copies the call frame information of all objects of the other process, from which its stacks are unwound (unwind/cfi_copy.h). */
void memphis_maps_copy_cfi(void);

#endif
