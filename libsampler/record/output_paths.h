/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the files go: the directory, and their names in it. */
#ifndef MEMPHIS_PLACE_H
#define MEMPHIS_PLACE_H

#include "core/session.h"

/* Remember where the program was started: relative names of the directory are meant from there. */
void memphis_output_setup(void);

/* Make the directory; make the process file in it. 0, or -errno after memphis_session_fail(). */
int memphis_output_directory(struct memphis_session *session);
int memphis_output_process_file(struct memphis_session *session);

/*
 * A path in the directory, to the memory at *path, which is used again if its *bytes are enough, and never freed.
 * 0 or -ENOMEM.
 */
int memphis_output_path(char **path, size_t *bytes, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
