/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Paths in procfs of the sampled process. This is the library's own process, or another one
 * (control/attach_process.h). The code that uses these paths runs in a companion. There, /proc/self is the
 * companion, which has the program's memory but not its threads.
 */
#ifndef MEMPHIS_PROC_H
#define MEMPHIS_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define MEMPHIS_PROC_PATH 64 /* size of a path, in bytes */

/* Set the process to which later calls refer: the process `pid`, or the calling process. Not thread-safe; async-signal-safe. */
void memphis_proc_set(pid_t pid);
void memphis_proc_set_own(void);

/* Returns the PID of that process, or the caller's PID if none was set. */
pid_t memphis_proc_pid(void);

/* Returns true if no thread of that process has this tid. May change errno. */
bool memphis_proc_lacks_thread(pid_t tid);

/* Returns true if the calling process has several threads, and false if it has one or the number is unknown. May change errno. */
bool memphis_proc_has_threads(void);

/* Writes "/proc/PID/NAME" to `path` (MEMPHIS_PROC_PATH bytes) and returns `path`. */
const char *memphis_proc(char *path, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Writes the same for files about the process's memory (maps, exe, cmdline ...). In a companion, the path
 * leads to the companion's own file. A companion shares the memory and may always read its own files, even
 * after the process has ended.
 */
const char *memphis_proc_memory(char *path, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns field `number` (3 or higher) of a `stat` file of procfs (proc(5)), or -1. */
long memphis_proc_field(const char *path, unsigned int number);

#define MEMPHIS_FD_PATH 32 /* size of a path, in bytes */

/* Writes "/proc/self/fd/N" to `path`. Does not use printf(), which takes a kilobyte of the stack. Async-signal-safe. */
void memphis_fd_path(char path[MEMPHIS_FD_PATH], int fd);

#endif
