/* SPDX-License-Identifier: BSD-3-Clause */
/* procfs about the process that is sampled: the own one, or another that is watched (control/attach_process.h). */
#ifndef MEMPHIS_PROC_H
#define MEMPHIS_PROC_H

#include <stddef.h>
#include <sys/types.h>

#define MEMPHIS_PROC_PATH 64

/* From here on of that process. */
void memphis_proc_set(pid_t pid);

/* "/proc/self/NAME" or "/proc/PID/NAME", in `path` of MEMPHIS_PROC_PATH bytes. Gives `path`. */
const char *memphis_proc(char *path, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
