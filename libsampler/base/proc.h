/* SPDX-License-Identifier: BSD-3-Clause */
/* Paths in procfs of the sampled process: the calling process, or another process (control/attach_process.h). */
#ifndef MEMPHIS_PROC_H
#define MEMPHIS_PROC_H

#include <stddef.h>
#include <sys/types.h>

#define MEMPHIS_PROC_PATH 64 /* size of a path, in bytes */

/* Sets the process to which later paths refer. Not thread-safe. */
void memphis_proc_set(pid_t pid);

/* Writes "/proc/self/NAME" or "/proc/PID/NAME" to `path` (MEMPHIS_PROC_PATH bytes) and returns `path`. */
const char *memphis_proc(char *path, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define MEMPHIS_FD_PATH 32 /* size of a path, in bytes */

/* Writes "/proc/self/fd/N" to `path`, without printf(), which takes a kilobyte of the stack. Async-signal-safe. */
void memphis_fd_path(char path[MEMPHIS_FD_PATH], int fd);

#endif
