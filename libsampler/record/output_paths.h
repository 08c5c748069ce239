/* SPDX-License-Identifier: BSD-3-Clause */
/* Paths of the sample files: the directory, and the names of the files in it. */
#ifndef MEMPHIS_OUTPUT_PATHS_H
#define MEMPHIS_OUTPUT_PATHS_H

#include "core/session.h"

/* Stores the directory in which the program was started. A relative MEMPHIS_OUTPUT refers to this directory. */
void memphis_output_setup(void);

/*
 * These functions create the output directory, and the process file in it. They return 0, or -errno after a
 * call of memphis_session_fail().
 */
int memphis_output_directory(struct memphis_session *session);
int memphis_output_process_file(struct memphis_session *session);

/* Returns the working directory of the sampled process at the time when the output directory was created, or an empty string. */
const char *memphis_output_work_directory(void);

/*
 * Changes the drain's working directory to the output directory. Does nothing if the caller is not the drain.
 * A program that builds a container can change what the path of the output directory refers to. Files that
 * the drain creates later are then still in the right directory. If the change fails, files are found by
 * their paths.
 */
void memphis_output_enter(struct memphis_session *session);

/*
 * Writes the path of a file in the output directory to *path, a buffer of *bytes bytes. A buffer that is too
 * small is replaced by a larger one; buffers are never freed. Returns 0 or -ENOMEM.
 */
int memphis_output_path(char **path, size_t *bytes, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
