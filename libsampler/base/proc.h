/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Paths in procfs of the sampled process: the library's own process, or another one
 * (control/attach_process.h). The code that uses them runs in a companion. There, /proc/self is the
 * companion, which has the memory of the program, but other threads.
 */
#ifndef MEMPHIS_PROC_H
#define MEMPHIS_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define MEMPHIS_PROC_PATH 64 /* size of a path, in bytes */

/* Set the process to which later calls refer: another one, or the calling one. Not thread-safe; async-signal-safe. */
void memphis_proc_set(pid_t pid);
void memphis_proc_set_own(void);

/* Returns the PID of that process; the caller's if none was set. */
pid_t memphis_proc_pid(void);

/* Returns true if no thread of that process has this tid. May change errno. */
bool memphis_proc_lacks_thread(pid_t tid);

/* Returns true if the calling process has several threads; false if it can't be known. May change errno. */
bool memphis_proc_has_threads(void);

/* Writes "/proc/PID/NAME" to `path` (MEMPHIS_PROC_PATH bytes) and returns `path`. */
const char *memphis_proc(char *path, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Writes the same for files about the process's memory (maps, exe, cmdline ...). In a companion, these are the companion's own files, which
 * it may always read, even after the process has ended.
 */
const char *memphis_proc_memory(char *path, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns field `number` (from 3 on) of a file `stat` of procfs (proc(5)), or -1. */
long memphis_proc_field(const char *path, unsigned int number);

#define MEMPHIS_FD_PATH 32 /* size of a path, in bytes */

/* Writes "/proc/self/fd/N" to `path`, without printf(), which takes a kilobyte of the stack. Async-signal-safe. */
void memphis_fd_path(char path[MEMPHIS_FD_PATH], int fd);

#endif
