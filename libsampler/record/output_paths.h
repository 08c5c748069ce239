/* SPDX-License-Identifier: BSD-3-Clause */
/* Paths of the sample files: the directory, and their names in it. */
#ifndef MEMPHIS_OUTPUT_PATHS_H
#define MEMPHIS_OUTPUT_PATHS_H

#include "core/session.h"

/* Remember the directory in which the program was started: a relative MEMPHIS_OUTPUT is relative to it. */
void memphis_output_setup(void);

/* Create the directory; create the process file in it. 0, or -errno after memphis_session_fail(). */
int memphis_output_directory(struct memphis_session *session);
int memphis_output_process_file(struct memphis_session *session);

/*
 * Write a path in the directory to the memory at *path. That memory is reused if its *bytes suffice, else replaced, and never
 * freed. 0 or -ENOMEM.
 */
int memphis_output_path(char **path, size_t *bytes, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
