/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Descriptions of code that a compiler generates at run time, in the two formats that perf reads:
 * /tmp/perf-PID.map, with one line for each function, and jitdump files (jit-PID.dump), which the compiler
 * announces by mapping them with PROT_EXEC. These files are not part of the run and may be deleted later, so
 * the process file contains copies.
 */
#ifndef MEMPHIS_JIT_H
#define MEMPHIS_JIT_H

#include "data/file.h"

/*
 * Stores the file's path if it is a jitdump file of this process. Called when the program has mapped the file
 * with PROT_EXEC. Async-signal-safe.
 */
void memphis_jit_note_mapped(int fd);
/* Does the same for the path in a line of /proc/PID/maps. `path`: as the process sees it. */
void memphis_jit_note_path(const char *path);

/* Fork handler of the child. */
void memphis_jit_forked(void);

/*
 * Reads what is needed to find the files of the process later, because the process may have ended by the time
 * they are copied. Used by the drain only.
 */
void memphis_jit_begin(void);

/*
 * Writes the descriptions as chunks. Reads a file only if it is a regular file of the process's user and is
 * not older than the process. Used by the drain only, at the end of the process.
 */
void memphis_jit_keep(struct memphis_sample_file *file);

/* Returns the number of bytes of the descriptions that were not copied. */
__u64 memphis_jit_left_out(void);

#endif
