/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Descriptions of code that a compiler makes at run time, as perf reads them: /tmp/perf-PID.map, with a line for each function, and jitdump
 * files (jit-PID.dump), which the compiler announces by an executable map. Nobody else keeps them with the run, so the files contain copies.
 */
#ifndef MEMPHIS_JIT_H
#define MEMPHIS_JIT_H

#include "data/file.h"

/* Notes the file if it is a jitdump file of this process. To be called when the program has mapped it with PROT_EXEC. Async-signal-safe. */
void memphis_jit_note_mapped(int fd);
/* The same for a line of a list of maps. `path`: as the process sees it. */
void memphis_jit_note_path(const char *path);

/* Fork handler of the child. */
void memphis_jit_forked(void);

/* Learns what is necessary to find the files of the process, which may have ended when they are kept. Used by the drain only. */
void memphis_jit_begin(void);

/*
 * Writes the descriptions as chunks. Only regular files that belong to the process's user, and that are not older than the process, are read.
 * Used by the drain only, at the end of the process.
 */
void memphis_jit_keep(struct memphis_sample_file *file);

/* Returns how many bytes of the descriptions were left out. */
__u64 memphis_jit_left_out(void);

#endif
