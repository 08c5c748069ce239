/* SPDX-License-Identifier: BSD-3-Clause */
/* Paths of the sample files: the directory, and the names of the files in it. */
#ifndef MEMPHIS_OUTPUT_PATHS_H
#define MEMPHIS_OUTPUT_PATHS_H

#include "core/session.h"

/* Stores the directory in which the program was started, since a relative MEMPHIS_OUTPUT refers to it. */
void memphis_output_setup(void);

/* Create the output directory, and the process file in it. Return 0, or -errno after memphis_session_fail(). */
int memphis_output_directory(struct memphis_session *session);
int memphis_output_process_file(struct memphis_session *session);

/* Returns the directory in which the sampled process worked when the output directory was created, or an empty string. */
const char *memphis_output_work_directory(void);

/*
 * Makes the output directory the current one of the drain, which calls this. Programs that build a container change what the path of the
 * directory leads to; files that are created afterwards are then in it nevertheless. If that fails, files are found by their paths.
 */
void memphis_output_enter(struct memphis_session *session);

/*
 * Writes the path of a file in the output directory to *path, a buffer of *bytes bytes. A buffer that is too
 * small is replaced by a larger one; buffers are never freed. Returns 0 or -ENOMEM.
 */
int memphis_output_path(char **path, size_t *bytes, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
